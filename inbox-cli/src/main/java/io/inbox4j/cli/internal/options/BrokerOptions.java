package io.inbox4j.cli.internal.options;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the connection to the broker. */
public final class BrokerOptions {

  @Option(
      names = {"--amqp-uri", "--amqp"},
      paramLabel = "URI",
      description = "the broker, for example amqp://user@host:5672/vhost, or amqps://…")
  private @Nullable String uri;

  @Option(names = "--amqp-user", paramLabel = "NAME", description = "who logs in to it")
  private @Nullable String user;

  @Option(
      names = "--amqp-password",
      paramLabel = "PASSWORD",
      description = "others can read it in the list of processes: better give a file")
  private @Nullable String password;

  @Option(
      names = "--amqp-password-file",
      paramLabel = "FILE",
      description = "the file that the password is in")
  private @Nullable Path passwordFile;

  public boolean isGiven() {
    return uri != null;
  }

  /** The URI with user and password: must not be shown. */
  public String uri() {
    URI whole = parsed();
    String secret = SecretOption.of(password, passwordFile, "--amqp-password");
    if (user == null && secret == null) {
      return Objects.requireNonNull(uri);
    }
    String inUri = Objects.requireNonNullElse(whole.getRawUserInfo(), "guest:guest");
    String name = user == null ? inUri.replaceFirst(":.*", "") : encoded(user);
    String key = secret == null ? inUri.replaceFirst("^[^:]*:?", "") : encoded(secret);
    return "%s://%s:%s@%s%s"
        .formatted(whole.getScheme(), name, key, hostAndPort(whole), whole.getRawPath())
        .concat(whole.getRawQuery() == null ? "" : "?" + whole.getRawQuery());
  }

  /** The server and the virtual host, without credentials. */
  public String place() {
    return hostAndPort(parsed()) + parsed().getRawPath();
  }

  private URI parsed() {
    if (uri == null) {
      throw new UsageException(
          "no broker is given; expected --amqp-uri, INBOX_AMQP_URI, or amqp-uri in the file of"
              + " --config, for example amqp://localhost:5672");
    }
    try {
      URI parsed = new URI(uri.strip());
      if (parsed.getHost() != null && String.valueOf(parsed.getScheme()).matches("amqps?")) {
        return parsed;
      }
    } catch (URISyntaxException e) {
      // Its message contains the URI, which may contain a password.
    }
    throw new UsageException(
        "the value of --amqp-uri is no AMQP URI; expected for example"
            + " amqp://user:password@host:5672/vhost");
  }

  private static String hostAndPort(URI uri) {
    return uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
