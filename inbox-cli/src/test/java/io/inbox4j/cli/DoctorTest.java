package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.Cli.Result;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.cli.internal.doctor.DatabaseExamination;
import io.inbox4j.cli.internal.doctor.Diagnosis;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.tables.ExaminedDatabase;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Topology;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

@Timeout(180)
@Tag("slow")
class DoctorTest {

  @Test
  void aHealthyDatabaseIsHealthy() {
    Tables tables = Tables.filled();
    List<String> before = tables.everything();
    Result result = Cli.process("doctor", "--jdbc", tables.url());
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains("schema", "indexes", "plans", "vacuum", "transactions", "settings", "clock")
        .doesNotContain("wrong");
    assertThat(tables.everything()).isEqualTo(before);
  }

  @Test
  void everythingThatIsWrongIsFoundWithWhatToDo() {
    Tables tables = Tables.filled();
    tables.execute(
        """
        DROP INDEX inbox_pending_parked;
        ALTER TABLE inbox_pending SET (autovacuum_enabled = false);
        UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'inbox_messages_seq'::regclass;
        UPDATE inbox_pending SET crashes = 2 WHERE seq = 5;
        UPDATE inbox_dead SET blocked_key = 'k' WHERE seq = 6;
        """);
    String off = tables.url() + "&options=-c%20synchronous_commit=off";
    Result result = Cli.here("doctor", "--json", "--jdbc", off);
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.json().get("healthy").asBoolean()).isFalse();
    assertThat(
            result
                .json()
                .get("findings")
                .valueStream()
                .filter(it -> it.get("level").asString().equals("wrong"))
                .peek(it -> assertThat(it.get("remedy").asString()).isNotBlank())
                .map(it -> it.get("detail").asString()))
        .anyMatch(it -> it.equals("inbox_pending_parked is missing"))
        .anyMatch(it -> it.equals("inbox_messages_seq is not valid"))
        .anyMatch(it -> it.contains("does not use inbox_pending_parked"))
        .anyMatch(it -> it.contains("autovacuum is switched off for inbox_pending"))
        .anyMatch(it -> it.contains("synchronous_commit is off"))
        .anyMatch(it -> it.contains("was started 3 times"))
        .anyMatch(it -> it.contains("blocks its ordering key"));
    assertThat(Cli.here("doctor", "--jdbc", Tables.none().url()).out()).contains("inbox migrate");
  }

  @Test
  void aCheckThatCannotBeMadeSaysWhyAndTheOthersAreMade() throws Exception {
    Tables tables = Tables.filled();
    tables.execute(
        """
        ALTER TABLE inbox_quarantine RENAME TO kept;
        CREATE VIEW inbox_quarantine AS SELECT kept.* FROM kept, pg_sleep(600);
        """);
    try (java.sql.Connection holder =
            PostgresServer.shared().dataSource(tables.url()).getConnection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("LOCK TABLE inbox_processed_default IN ACCESS EXCLUSIVE MODE");
      Result result = Cli.here("doctor", "--jdbc", tables.url());
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("ok +database ")
          .containsPattern("ok +schema ")
          .containsPattern("ok +indexes ")
          .containsPattern("wrong +plans +could not be looked at: .*lock timeout")
          .contains("somebody has locked a table")
          .containsPattern("ok +vacuum ")
          .containsPattern("wrong +transactions +could not be looked at: .*statement timeout")
          .contains("it took too long")
          .containsPattern("ok +settings ")
          .containsPattern("ok +clock ");
    }
  }

  @Test
  void aServerThatIsReadOnlyIsCalledSo() {
    Tables tables = Tables.filled();
    String name = tables.texts("SELECT current_database()").get(0);
    tables.execute("ALTER DATABASE %s SET default_transaction_read_only = on".formatted(name));
    Result result = Cli.here("doctor", "--jdbc", tables.url());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("ok +schema ")
        .containsPattern("wrong +settings +the server is read-only")
        .contains("ALTER DATABASE");
    Result status = Cli.here("status", "--jdbc", tables.url());
    assertThat(status.code()).isEqualTo(1);
    assertThat(status.err()).contains("read-only", "inbox doctor");
  }

  @Test
  void aServerThatGivesNoConnectionIsExplainedAndTheBrokerIsLookedAtAllTheSame() {
    Tables tables = Tables.filled();
    String suffix = UUID.randomUUID().toString().substring(0, 8);
    tables.execute("CREATE ROLE crowd_%s LOGIN CONNECTION LIMIT 0".formatted(suffix));
    Result crowded =
        Cli.here(
            "doctor",
            "--jdbc",
            tables.url().replaceFirst("user=[^&]*", "user=crowd_" + suffix),
            "--amqp",
            RabbitServer.shared().uri());
    assertThat(crowded.code()).isEqualTo(1);
    assertThat(crowded.out())
        .containsPattern("wrong +database +.* gives no connection: .*too many connections")
        .contains("max_connections")
        .containsPattern("ok +broker ");
    Map<String, String> remedies =
        Map.of(
            tables.url().replaceFirst("user=[^&]*", "user=nobody"),
            "--database-user",
            tables.url().replaceFirst("/test_[^?]*", "/nowhere"),
            "the right database",
            "jdbc:postgresql://localhost:1/shop",
            "that the server runs");
    remedies.forEach(
        (url, remedy) -> {
          Result result = Cli.here("doctor", "--jdbc", url);
          assertThat(result.code()).isEqualTo(1);
          assertThat(result.out()).contains("gives no connection", remedy);
        });
  }

  @Test
  void aClockThatIsWrongIsNoticed() {
    Tables tables = Tables.filled();
    DatabaseOptions options = new DatabaseOptions();
    CommandSpec command = CommandSpec.create();
    command.addMixin("options", CommandSpec.forAnnotatedObject(options));
    new CommandLine(command).parseArgs("--jdbc", tables.url());
    Clock wrong = Clock.offset(Clock.system(ZoneOffset.UTC), Duration.ofMinutes(-7));
    try (ExaminedDatabase database = new ExaminedDatabase(options)) {
      assertThat(new DatabaseExamination(database, wrong).examine())
          .filteredOn(it -> it.check().equals("clock"))
          .singleElement()
          .satisfies(it -> assertThat(it.level()).isEqualTo(Diagnosis.Level.WARNING))
          .satisfies(it -> assertThat(it.detail()).contains("behind the database's"));
    }
  }

  @Test
  void aQueueOfTheApplicationIsComparedWithItsSubscription() throws Exception {
    Tables tables = Tables.filled();
    String amqp = RabbitServer.shared().uri();
    String[] doctor = {
      "doctor", "--jdbc", tables.url(), "--amqp", amqp, "--application", Audit.class.getName()
    };
    InboxBuilder builder = Inbox.builder();
    new Audit().configure(builder);
    try (Inbox inbox =
        builder
            .store(JdbiInboxStore.connect(tables.url()))
            .transport(RabbitTransport.connect(amqp))
            .build()) {
      inbox.startReceiving();
      assertThat(Cli.here(doctor).out()).contains(Audit.QUEUE + ": as the service declares it");
    }
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqp);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDelete(Audit.QUEUE);
      channel.queueDeclare(
          Audit.QUEUE,
          true,
          false,
          false,
          RabbitTransport.queueArguments(Audit.QUEUE, Topology.classic()));
    }
    assertThat(Cli.here(doctor).out())
        .containsPattern(Audit.QUEUE + ": not as the service declares it: .*single-active");
  }

  @Test
  void anApplicationThatCannotBeConfiguredHereIsAFindingAndTheRestIsExamined() {
    Result result =
        Cli.here(
            "doctor",
            "--jdbc",
            Tables.filled().url(),
            "--amqp",
            RabbitServer.shared().uri(),
            "--application",
            Unconfigured.class.getName());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("ok +schema")
        .containsPattern("wrong +application +it cannot be configured: .*BILLING_KEY is not set")
        .containsPattern("ok +broker")
        .containsPattern("queue +" + BILLING);
  }

  /** Needs what a service has in its environment. */
  public static final class Unconfigured implements InboxApplication {

    @Override
    public void configure(InboxBuilder inbox) {
      throw new IllegalStateException("BILLING_KEY is not set");
    }
  }

  /** Subscribes a queue that differs from the default. */
  public static final class Audit implements InboxApplication {

    static final String QUEUE = "audit-" + UUID.randomUUID();

    @Override
    public void configure(InboxBuilder inbox) {
      inbox.subscribe(
          QUEUE,
          it ->
              it.receive(OrderPlaced.class)
                  .topology(Topology.classic().withSingleActiveConsumer()));
    }
  }

  @Test
  void aQueueIsComparedWithWhatTheTransportDeclares() throws Exception {
    Tables tables = Tables.filled();
    String queue = "doctor-" + UUID.randomUUID();
    tables.execute(
        "INSERT INTO inbox_paused (endpoint, paused_by, reason) VALUES ('%s', 'a', 'b')"
            .formatted(queue));
    String amqp = RabbitServer.shared().uri();
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(tables.url()))
            .transport(RabbitTransport.connect(amqp))
            .subscribe(queue, it -> it.receive(OrderPlaced.class))
            .build()) {
      inbox.startReceiving();
      assertThat(Cli.here("doctor", "--jdbc", tables.url(), "--amqp", amqp).out())
          .contains(queue + ": as Topology.quorum() declares it")
          .contains(queue + ": 0 messages, 1 consumers")
          .contains(BILLING + ": NOT_FOUND");
    }
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqp);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDelete(queue);
      channel.queueDeclare(queue, true, false, false, null);
    }
    assertThat(Cli.here("doctor", "--jdbc", tables.url(), "--amqp", amqp).out())
        .contains("start a process that receives")
        .containsPattern(queue + ": not as Topology.quorum\\(\\) declares it: PRECONDITION_FAILED");
  }

  @Test
  void deadLettersAreNotToBePurgedAndAQueueThatMayDropThemIsSaid() throws Exception {
    Tables tables = Tables.filled();
    String queue = "doctor-" + UUID.randomUUID();
    String deadLetters = queue + ".dead-letter";
    tables.execute(
        "INSERT INTO inbox_paused (endpoint, paused_by, reason) VALUES ('%s', 'anna', 'why')"
            .formatted(queue));
    String amqp = RabbitServer.shared().uri();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqp);
    String version;
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      version = String.valueOf(connection.getServerProperties().get("version"));
      channel.confirmSelect();
      channel.queueDeclare(
          queue, true, false, false, RabbitTransport.queueArguments(queue, Topology.quorum()));
      channel.queueDeclare(
          deadLetters, true, false, false, Map.of("x-queue-type", "quorum")); // as it once was
      channel.basicPublish("", deadLetters, null, new byte[1]);
      channel.waitForConfirmsOrDie(30_000);
    }
    Result result = Cli.here("doctor", "--jdbc", tables.url(), "--amqp", amqp);
    assertThat(result.out())
        .contains(deadLetters + ": 1 messages that the broker has given up delivering")
        .contains("inbox recover " + queue)
        .contains("do not purge it");
    if (version.startsWith("3")) {
      assertThat(result.out()).doesNotContain("set_policy");
    } else {
      assertThat(result.out())
          .contains("delivery limit is not 1000000")
          .contains("set_policy -p '/' --apply-to queues " + deadLetters)
          .contains("{\"delivery-limit\":1000000}");
    }
  }
}
