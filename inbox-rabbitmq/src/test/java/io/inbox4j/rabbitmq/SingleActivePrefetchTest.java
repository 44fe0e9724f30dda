package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A quorum queue puts what is requeued behind what was requeued before. A receiver that takes over
 * must therefore take all of what the one before it had in flight, or a lost connection would
 * change the order.
 */
@Tag("slow")
class SingleActivePrefetchTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MESSAGES = 60;
  private static final Topology TOPOLOGY = Topology.quorum().withSingleActiveConsumer();

  private final String queue = "in-order-" + UUID.randomUUID();
  private final ReceiveEndpoint endpoint =
      new ReceiveEndpoint(queue, TOPOLOGY, List.of(), 1, 200, 100);
  private final CountDownLatch mayStore = new CountDownLatch(1);
  private final RecordingReceiver receiver = new RecordingReceiver(batch -> mayStore.await());
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void fillTheQueue() throws Exception {
    connection = connect();
    channel = connection.createChannel();
    try (InboxTransport transport = RabbitTransport.connect(RabbitServer.shared().uri())) {
      transport.receive(endpoint, receiver, listener()).close(Duration.ZERO); // declares
    }
    channel.confirmSelect();
    for (int i = 0; i < MESSAGES; i++) {
      channel.basicPublish("", queue, null, body(i).getBytes(StandardCharsets.UTF_8));
    }
    channel.waitForConfirmsOrDie(30_000);
    failures.clear();
  }

  @AfterEach
  void disconnect() throws Exception {
    mayStore.countDown();
    channel.queueDelete(queue);
    connection.close();
  }

  @Test
  void itTakesItsWholePrefetchFromTheStart() throws Exception {
    try (InboxTransport transport = RabbitTransport.connect(RabbitServer.shared().uri())) {
      transport.receive(endpoint, receiver, listener());
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(ready()).isZero());
    }
  }

  @Test
  void itTakesOneAtATimeOfWhatWasDeliveredSuspiciouslyOften() throws Exception {
    for (int i = 0; i < TOPOLOGY.deliveryLimit() / 2; i++) {
      crashWithAllInFlight();
    }
    try (InboxTransport transport = RabbitTransport.connect(RabbitServer.shared().uri())) {
      transport.receive(endpoint, receiver, listener());
      await().atMost(PATIENCE).until(() -> !failures.isEmpty());
      assertThat(failures).singleElement().asString().contains("10 times before");
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(ready()).isEqualTo(MESSAGES - 1));
      mayStore.countDown();
      await().atMost(PATIENCE).until(() -> receiver.stored().size() == MESSAGES);
      assertThat(receiver.stored())
          .containsExactlyElementsOf(
              IntStream.range(0, MESSAGES).mapToObj(SingleActivePrefetchTest::body).toList());
    }
  }

  private void crashWithAllInFlight() throws Exception {
    Connection crashing = connect();
    Channel consuming = crashing.createChannel();
    consuming.basicQos(200);
    consuming.basicConsume(queue, false, new DefaultConsumer(consuming));
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(ready()).isZero());
    crashing.abort(2_000);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(ready()).isEqualTo(MESSAGES));
  }

  private long ready() throws Exception {
    return channel.messageCount(queue);
  }

  private static String body(int i) {
    return "message " + i;
  }

  private static Connection connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    return factory.newConnection();
  }

  private ConnectionListener listener() {
    return new ConnectionListener() {
      @Override
      public void connected(String endpoint) {}

      @Override
      public void disconnected(String endpoint, Throwable cause) {
        failures.add(String.valueOf(cause.getMessage()));
      }
    };
  }
}
