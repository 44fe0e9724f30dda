package io.inbox4j.cli.internal.options;

import io.inbox4j.jdbi.JdbiInboxStoreBuilder;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the connection to the database. */
public final class DatabaseOptions {

  private static final String SCHEME = "jdbc:postgresql:";

  /** Read by {@link Settings} before anything else. */
  @Option(
      names = Settings.CONFIG,
      paramLabel = "FILE",
      description = "properties named like these options, without the dashes")
  @SuppressWarnings("unused") // declared so that the parser and the help know it
  private @Nullable Path config;

  @Option(
      names = {"--database-url", "--jdbc"},
      paramLabel = "URL",
      description = "the database, for example jdbc:postgresql://host:5432/shop")
  private @Nullable String url;

  @Option(names = "--database-user", paramLabel = "NAME", description = "who logs in to it")
  private @Nullable String user;

  @Option(
      names = "--database-password",
      paramLabel = "PASSWORD",
      description = "others can read it in the list of processes: better give a file")
  private @Nullable String password;

  @Option(
      names = "--database-password-file",
      paramLabel = "FILE",
      description = "the file that the password is in")
  private @Nullable Path passwordFile;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "the schema of the tables; that of the search path unless given")
  private @Nullable String schema;

  /** The schema of the tables; null for that of the search path. */
  public @Nullable String schema() {
    try {
      return schema == null ? null : InboxSchema.checked(schema);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--" + e.getMessage());
    }
  }

  /** A store in that schema. */
  public JdbiInboxStoreBuilder withSchema(JdbiInboxStoreBuilder store) {
    String name = schema();
    return name == null ? store : store.schema(name);
  }

  /** The URL with user and password: must not be shown. */
  public String url() {
    return withCredentials(checked());
  }

  /** Another URL of the same database with user and password: must not be shown. */
  String withCredentials(String other) {
    StringBuilder whole = new StringBuilder(other);
    append(whole, "user", user);
    append(whole, "password", SecretOption.of(password, passwordFile, "--database-password"));
    return whole.toString();
  }

  /** The server and the database, without credentials. */
  public String place() {
    String rest = checked().substring(SCHEME.length()).replaceFirst("\\?.*", "");
    return rest.substring(rest.lastIndexOf('@') + 1).replaceFirst("^/+", "");
  }

  private String checked() {
    if (url == null) {
      throw new UsageException(
          "no database is given; expected --database-url, INBOX_DATABASE_URL, or database-url in"
              + " the file of --config, for example jdbc:postgresql://localhost:5432/shop");
    }
    return checked("--database-url", url);
  }

  static String checked(String option, String url) {
    if (!url.startsWith(SCHEME)) {
      // It may contain a password, so it is not shown.
      throw new UsageException(
          "the value of %s is not the URL of a PostgreSQL; expected for example".formatted(option)
              + " jdbc:postgresql://localhost:5432/shop");
    }
    return url;
  }

  private static void append(StringBuilder url, String name, @Nullable String value) {
    if (value != null) {
      url.append(url.indexOf("?") < 0 ? '?' : '&')
          .append(name)
          .append('=')
          .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }
}
