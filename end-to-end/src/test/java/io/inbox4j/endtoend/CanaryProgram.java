package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Canary.AMQP_PASSWORD;
import static io.inbox4j.endtoend.Canary.HEADER;
import static io.inbox4j.endtoend.Canary.JDBC_PASSWORD;
import static io.inbox4j.endtoend.Canary.PAYLOAD;
import static io.inbox4j.endtoend.Canary.SAID;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * Does everything that an inbox does with secrets around. It logs all it can to standard error, and
 * prints to standard output what the API says and what the tables keep.
 */
final class CanaryProgram {

  private static final List<String> QUEUES =
      List.of("canary.transactional", "canary.leased", "canary.inline", "canary.ordered");

  private final String jdbc;
  private final String amqp;
  private final Database database;

  private CanaryProgram(String jdbc, String amqp) {
    this.jdbc = jdbc;
    this.amqp = amqp;
    this.database = new Database(jdbc, Jdbi.create(jdbc));
  }

  public static void main(String[] args) throws Exception {
    new CanaryProgram(args[0], args[1]).run();
  }

  private void run() throws Exception {
    JdbiInboxStore store = JdbiInboxStore.connect(jdbc);
    RabbitTransport transport = RabbitTransport.connect(amqp);
    try (Inbox inbox =
        Inbox.builder()
            .store(store)
            .transport(transport)
            .listener(new Loud())
            .subscribe(QUEUES.get(0), orders(queue -> {}))
            .subscribe(QUEUES.get(1), orders(queue -> queue.leased(Duration.ofSeconds(5))))
            .subscribe(QUEUES.get(2), orders(SubscriptionBuilder::inline))
            .subscribe(
                QUEUES.get(3),
                orders(queue -> queue.orderedBy(OrderPlaced.class, event -> event.order())))
            .build()) {
      show(inbox, store, transport);
      inbox.start();
      refuseSomeHeaders();
      for (String queue : QUEUES) {
        send(queue);
      }
      eventually(() -> assertThat(database.effects()).isEqualTo(QUEUES.size()));
      loseConnections();
      for (String queue : QUEUES) {
        try (Publisher publisher = new Publisher(amqp, queue)) {
          publisher.order("later " + PAYLOAD.text() + queue);
        }
      }
      eventually(() -> assertThat(database.effects()).isEqualTo(2L * QUEUES.size()));
      eventually(() -> assertThat(database.pending()).isZero());
      showWhatIsKept(inbox);
    }
    refusals();
  }

  private static Consumer<SubscriptionBuilder> orders(Consumer<SubscriptionBuilder> mode) {
    Consumer<SubscriptionBuilder> orders =
        queue -> queue.on(OrderPlaced.class, CanaryProgram::handle).retry(RetryPolicy.immediate(2));
    return orders.andThen(mode);
  }

  private static void handle(OrderPlaced event, EventContext context) throws Exception {
    if (event.amount() == 2) {
      throw new IllegalStateException("cannot: " + SAID.text());
    }
    Effects.placed(event, context);
  }

  private static void send(Publisher publisher, BasicProperties properties, String body)
      throws Exception {
    publisher.send(properties, BadInput.bytes(body));
  }

  /** A good one, one that fails, and those that cannot be read or stored. */
  private void send(String queue) throws Exception {
    String text = PAYLOAD.text();
    try (Publisher publisher = new Publisher(amqp, queue)) {
      BasicProperties.Builder good = BadInput.good().headers(Map.of("h", HEADER.text()));
      send(publisher, fresh(good), "{\"order\":\"%s\",\"amount\":1}".formatted(text + queue));
      send(publisher, fresh(good), "{\"order\":\"%s\",\"amount\":2}".formatted(text));
      send(publisher, fresh(good), "{\"order\":\"o\",\"amount\":\"%s\"}".formatted(text));
      send(publisher, fresh(good), "{\"order\":{\"%s\":1},\"amount\":1}".formatted(text));
      send(publisher, fresh(good), "{\"order\":\"%s\"}".formatted(text));
      send(publisher, fresh(good), "{\"order\":\"%s\",".formatted(text));
      send(publisher, fresh(good), "{\"order\": %s}".formatted(text));
      send(publisher, fresh(good), text);
      send(publisher, fresh(good), "{\"messageId\":[\"%s\"]}".formatted(text));
      send(publisher, fresh(good).builder().type("unknown").build(), "{\"a\":\"" + text + "\"}");
      send(publisher, fresh(good).builder().contentType("text/plain").build(), text);
      send(publisher, fresh(good).builder().contentEncoding("gzip").build(), text);
      Map<String, Object> refused = Map.of("h", HEADER.text(), "refuse", "it");
      send(
          publisher,
          fresh(good).builder().headers(refused).build(),
          "{\"order\":\"%s\",\"amount\":1}".formatted(text));
      publisher.confirm();
    }
  }

  private static BasicProperties fresh(BasicProperties.Builder properties) {
    return properties.messageId(UUID.randomUUID().toString()).build();
  }

  /** The database quotes the row that it refuses; some refusals are the last of a connection. */
  private void refuseSomeHeaders() {
    database
        .jdbi()
        .useHandle(
            handle -> {
              handle.execute("CREATE SEQUENCE refusals");
              handle.execute(
                  "ALTER TABLE inbox_messages ADD CHECK (headers NOT LIKE '%refuse%'"
                      + " OR nextval('refusals') <= 10 AND NOT"
                      + " pg_terminate_backend(pg_backend_pid()))");
            });
  }

  private void loseConnections() {
    database.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE usename = current_user AND pid <> pg_backend_pid()");
  }

  private void showWhatIsKept(Inbox inbox) {
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine WHERE reason = 'unstorable'"))
        .isEqualTo(QUEUES.size());
    inbox.quarantine().list(MessageFilter.all(), 100).forEach(CanaryProgram::show);
    inbox.deadLetters().list(MessageFilter.all(), 100).forEach(CanaryProgram::show);
    inbox.deadLetters().discard(MessageFilter.all());
    database.texts("SELECT error FROM inbox WHERE error IS NOT NULL").forEach(CanaryProgram::show);
    database.texts("SELECT detail FROM inbox_quarantine").forEach(CanaryProgram::show);
    database.texts("SELECT reason FROM inbox_interventions").forEach(CanaryProgram::show);
    Delivery delivery =
        new Delivery(
            "id",
            "type",
            null,
            null,
            null,
            null,
            Map.of("h", HEADER.text()),
            BadInput.bytes(PAYLOAD.text()),
            false);
    String headers = "{\"h\":\"%s\"}".formatted(HEADER.text());
    show(
        delivery,
        new ValidatedDelivery.Event(delivery, headers, UUID.randomUUID(), "type"),
        new ValidatedDelivery.Rejected(delivery, headers, QuarantineReason.UNREADABLE, "detail"));
  }

  /** Addresses and passwords that are wrong. */
  private void refusals() throws Exception {
    String wrongJdbc = jdbc.replace("password=", "password=not-");
    String wrongAmqp = amqp.replace("canary:", "canary:not-");
    surfaced(() -> JdbiInboxStore.connect(wrongJdbc).open());
    surfaced(() -> JdbiInboxStore.connect(jdbc.replace("postgresql", "nosql")).open());
    surfaced(() -> JdbiInboxStore.connect(jdbc.replaceAll(":[0-9]+/", ":port/")).open());
    surfaced(() -> RabbitTransport.connect(amqp.replace("amqp:", "http:")));
    surfaced(() -> RabbitTransport.connect(amqp.replace("127", "not a host")));
    CountDownLatch refused = new CountDownLatch(1);
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(jdbc))
            .transport(RabbitTransport.connect(wrongAmqp))
            .listener(
                new InboxListener() {
                  @Override
                  public void disconnected(Disconnected event) {
                    event.cause().printStackTrace(System.out);
                    refused.countDown();
                  }
                })
            .subscribe(QUEUES.get(0), OrderPlaced.class, Effects::placed)
            .build()) {
      inbox.startReceiving();
      refused.await();
    }
  }

  private static void surfaced(Runnable mistake) {
    try {
      mistake.run();
      show("no exception");
    } catch (RuntimeException e) {
      show("surfaced");
      e.printStackTrace(System.out);
    }
  }

  private static void show(Object... things) {
    for (Object thing : things) {
      System.out.println(thing);
    }
  }

  /** Prints all that a listener hears. */
  private static final class Loud implements InboxListener {

    @Override
    public void quarantined(Quarantined event) {
      show(event.endpoint(), event.reason(), event.detail());
    }

    @Override
    public void dead(Dead event) {
      show(event.message(), event.error());
    }

    @Override
    public void retried(Retried event) {
      show(event.message());
      event.failure().printStackTrace(System.out);
    }

    @Override
    public void interrupted(Interrupted event) {
      event.cause().printStackTrace(System.out);
    }

    @Override
    public void disconnected(Disconnected event) {
      event.cause().printStackTrace(System.out);
    }
  }

  static String jdbcUrl(String url) {
    return url.replaceAll("user=[^&]*", "user=canary&password=" + JDBC_PASSWORD.text());
  }

  static String amqpUri(String uri) {
    return uri.replaceAll("//[^@]*@", "//canary:%s@".formatted(AMQP_PASSWORD.text()));
  }
}
