package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inbox4j.Inbox;
import io.inbox4j.cli.InboxCommand;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.SendResult;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS to both servers: the certificate must be trusted, and made out to the host. */
@Tag("slow")
class TlsTest {

  @TempDir static Path folder;

  private static PostgresServer postgres;
  private static TestCertificate right;
  private static TestCertificate elsewhere;

  @BeforeAll
  static void start() throws Exception {
    postgres = PostgresServer.start();
    right = TestCertificate.of(folder, "localhost");
    elsewhere = TestCertificate.of(folder, "elsewhere.example");
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void messagesComeAndAreHandledOverTls() throws Exception {
    serve(right);
    Database database = Database.at(postgres.newDatabase());
    String queue = Inboxes.newQueue("tls");
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(verified(database.url(), right)))
            .transport(RabbitTransport.connect(broker(right), right.trusting()))
            .subscribe(queue, OrderPlaced.class, Effects::placed)
            .build()) {
      inbox.start();
      try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
        publisher.order("encrypted");
      }
      eventually(() -> assertThat(database.orders()).containsExactly("encrypted"));
      assertThat(
              database.count(
                  "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                      + " WHERE application_name = 'inbox' AND NOT ssl"))
          .isZero();
      assertThat(
              database.count(
                  "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                      + " WHERE application_name = 'inbox' AND ssl"))
          .isPositive();
    }
  }

  /**
   * A socket with TLS waits for whoever writes to it before it closes, unless it is told not to.
   */
  @Test
  @Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aSenderSendsOverTlsAndAWriteThatTheBrokerDoesNotReadEndsInTime() throws Exception {
    try (RabbitServer server = RabbitServer.start();
        RabbitTransport transport =
            RabbitTransport.connect(broker(server, right), right.trusting())) {
      MessageSender sender = transport.openSender();
      assertThat(sender.send(messages(1)).await(Duration.ofSeconds(30)))
          .hasOnlyElementsOfType(SendResult.Unroutable.class);
      server.freeze();
      assertThat(sender.send(messages(64)).await(Duration.ZERO))
          .hasSize(64)
          .hasOnlyElementsOfType(SendResult.Unknown.class);
      server.unfreeze();
    }
  }

  /** Messages of a mebibyte to a queue that does not exist. */
  private static List<OutgoingMessage> messages(int count) {
    byte[] body = new byte[1 << 20];
    return Stream.generate(
            () ->
                new OutgoingMessage(
                    UUID.randomUUID(),
                    new OutgoingMessage.Queue("missing"),
                    "orders.order-placed",
                    "application/json",
                    body,
                    Map.of(),
                    null,
                    null,
                    null,
                    null,
                    null))
        .limit(count)
        .toList();
  }

  @Test
  void aBrokerWithACertificateForAnotherHostIsRefused() throws Exception {
    assertThat(refusals(RabbitTransport.connect(broker(elsewhere), elsewhere.trusting())))
        .anyMatch(text -> text.contains("made out to 'localhost'"))
        .anyMatch(text -> text.contains("No subject alternative DNS name matching localhost"));
  }

  @Test
  void aBrokerWithACertificateOfItsOwnIsRefused() throws Exception {
    assertThat(refusals(RabbitTransport.connect(broker(right))))
        .anyMatch(text -> text.contains("its certificate must be trusted"))
        .anyMatch(text -> text.contains("unable to find valid certification path"));
  }

  @Test
  void theDoctorLogsInAtNoBrokerThatJavaDoesNotTrust() throws Exception {
    String database = postgres.newDatabase();
    try (ChildProcess doctor =
        ChildProcess.start(
            InboxCommand.class, "doctor", "--jdbc", database, "--amqp", broker(right))) {
      assertThat(doctor.exitCode(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(doctor.lines())
          .anyMatch(it -> it.matches("wrong +broker .*unable to find valid certification path.*"));
    }
  }

  @Test
  void anSslContextNeedsAnAddressOfTls() {
    assertThatThrownBy(() -> RabbitTransport.connect("amqp://localhost", SSLContext.getDefault()))
        .hasMessageContaining("does not begin with amqps://");
  }

  @Test
  void aDatabaseWithACertificateForAnotherHostIsRefused() throws Exception {
    serve(elsewhere);
    String url = verified(postgres.newDatabase(), elsewhere);
    assertThatThrownBy(() -> JdbiInboxStore.create(postgres.dataSource(url)).open())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("The hostname localhost could not be verified");
  }

  @Test
  void aDatabaseWithAnotherCertificateIsRefused() throws Exception {
    serve(right);
    String url = verified(postgres.newDatabase(), elsewhere);
    assertThatThrownBy(() -> JdbiInboxStore.create(postgres.dataSource(url)).open())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("PKIX path");
  }

  /** What a listener hears of a broker that cannot be connected to. */
  private static List<String> refusals(RabbitTransport transport) throws Exception {
    Database database = Database.fresh();
    List<String> heard = new CopyOnWriteArrayList<>();
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(database.url()))
            .transport(transport)
            .listener(
                new InboxListener() {
                  @Override
                  public void disconnected(Disconnected event) {
                    heard.add(String.valueOf(event.cause().getMessage()));
                  }

                  @Override
                  public void connected(Connected event) {
                    heard.add("connected");
                  }
                })
            .subscribe(Inboxes.newQueue("refused"), OrderPlaced.class, Effects::placed)
            .build()) {
      inbox.startReceiving();
      eventually(() -> assertThat(heard).isNotEmpty());
    }
    assertThat(heard).doesNotContain("connected");
    return heard;
  }

  private static String verified(String url, TestCertificate trusted) throws Exception {
    return url + "&sslmode=verify-full&sslrootcert=" + trusted.certificateFile();
  }

  /** Lets the database show this certificate from the next connection on. */
  private static void serve(TestCertificate certificate) throws Exception {
    String certificateFile = certificate.certificateFile().toString();
    Database database = new Database(postgres.jdbcUrl(), Jdbi.create(postgres.jdbcUrl()));
    for (String setting :
        List.of(
            "ssl_cert_file = '%s'".formatted(certificateFile),
            "ssl_key_file = '%s'".formatted(certificate.keyFile()),
            "ssl = on")) {
      database.jdbi().useHandle(handle -> handle.execute("ALTER SYSTEM SET " + setting));
    }
    database.rows("SELECT pg_reload_conf()");
    eventually(
        () -> assertThat(database.texts("SHOW ssl_cert_file")).containsExactly(certificateFile));
    eventually(() -> assertThat(database.texts("SHOW ssl")).containsExactly("on"));
  }

  /** Lets the broker listen with this certificate too, and returns the address. */
  private static String broker(TestCertificate certificate) throws Exception {
    return broker(RabbitServer.shared(), certificate);
  }

  private static String broker(RabbitServer server, TestCertificate certificate) throws Exception {
    assumeTrue(server.isOwn() && server.uri().contains("@127.0.0.1:"), "a local node");
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    server.ctl(
        "eval",
        """
        {ok, _} = application:ensure_all_started(ssl),
        rabbit_networking:start_ssl_listener(%d,
            [{cert, base64:decode(<<"%s">>)}, {key, {'PrivateKeyInfo', base64:decode(<<"%s">>)}}], 1)."""
            .formatted(port, base64(certificate.certificate()), base64(certificate.key())));
    return server
        .uri()
        .replaceFirst("amqp:", "amqps:")
        .replaceFirst("127.0.0.1:.*", "localhost:" + port);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
