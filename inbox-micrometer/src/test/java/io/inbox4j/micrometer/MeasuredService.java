package io.inbox4j.micrometer;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.MessageIds;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/** A service with metrics on a real broker and a real database, and a producer. */
final class MeasuredService implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(2);

  final Scrape scrape = new Scrape();
  final String queue = "measured-" + UUID.randomUUID();
  final Inbox inbox;
  private final Jdbi jdbi;
  private final Connection connection;
  private final Channel channel;

  /** Not started yet. */
  MeasuredService(Consumer<SubscriptionBuilder> subscription) throws Exception {
    String url = PostgresServer.shared().newDatabase();
    jdbi = Jdbi.create(url);
    inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(url))
            .transport(RabbitTransport.connect(RabbitServer.shared().uri()))
            .listener(InboxMetrics.on(scrape.registry))
            .defaults(all -> all.pollInterval(Duration.ofMillis(100)))
            .subscribe(queue, subscription)
            .build();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    connection = factory.newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  void publish(String order) throws Exception {
    publish("order-placed", order, "{\"order\":\"%s\"}".formatted(order));
  }

  void publish(String type, String idOf, String body) throws Exception {
    channel.basicPublish(
        "",
        queue,
        new BasicProperties.Builder()
            .messageId(MessageIds.of("order", idOf).toString())
            .type(type)
            .contentType("application/json")
            .deliveryMode(2)
            .build(),
        body.getBytes(StandardCharsets.UTF_8));
    channel.waitForConfirmsOrDie(30_000);
  }

  long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  static void until(Callable<Boolean> condition) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(condition);
  }

  @Override
  public void close() throws Exception {
    inbox.close();
    connection.close();
    scrape.close();
  }
}
