package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that was signed by itself, made out to one host, with its key. */
record TestCertificate(Path folder, String host, KeyStore keys) {

  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "server";

  /** Makes one with the keytool of this JDK. */
  static TestCertificate of(Path folder, String host) throws Exception {
    Path file = folder.resolve(host + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "RSA",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS) && keytool.exitValue() == 0).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new TestCertificate(folder, host, keys);
  }

  byte[] certificate() throws GeneralSecurityException {
    return keys.getCertificate(ALIAS).getEncoded();
  }

  /** The private key, in PKCS #8. */
  byte[] key() throws GeneralSecurityException {
    return Objects.requireNonNull(keys.getKey(ALIAS, PASSWORD.toCharArray())).getEncoded();
  }

  /** A client's settings that trust this certificate and no other. */
  SSLContext trusting() throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** A file with the certificate in PEM. */
  Path certificateFile() throws GeneralSecurityException, IOException {
    return pem("CERTIFICATE", certificate());
  }

  /** A file with the private key in PEM, that only its owner can read. */
  Path keyFile() throws GeneralSecurityException, IOException {
    Path file = pem("PRIVATE KEY", key());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private Path pem(String kind, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        folder.resolve("%s.%s.pem".formatted(host, kind.replace(' ', '-'))),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind),
        StandardCharsets.US_ASCII);
  }
}
