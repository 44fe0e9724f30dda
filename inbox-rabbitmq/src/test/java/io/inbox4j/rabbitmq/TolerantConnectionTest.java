package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Delivery;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Messages that the broker takes and the client cannot read. */
class TolerantConnectionTest {

  private static final byte[] BODY = "{\"count\":1}".getBytes(StandardCharsets.UTF_8);

  /** As large as the client may send them, so that nothing can be added in the same frame. */
  private static final int FULL_FRAME = 131_072 - 8 - 12 - 2 - 4 - (1 + 4 + 1 + 4);

  private Connection producing;
  private Channel producer;

  @BeforeEach
  void connect() throws Exception {
    producing = settings().newConnection();
    producer = producing.createChannel();
    producer.confirmSelect();
  }

  @AfterEach
  void disconnect() {
    producing.abort(2_000);
  }

  @TestFactory
  Stream<DynamicTest> comeThroughWithWhatCanBeReadOfThemAndTheConnectionStays() {
    return Stream.of("blocking", "NIO", "Netty")
        .flatMap(
            io ->
                Stream.of("quorum", "classic")
                    .map(
                        queue ->
                            DynamicTest.dynamicTest(
                                io + ", " + queue, () -> checkTooDeep(io, queue))));
  }

  private void checkTooDeep(String io, String queueType) throws Exception {
    String queue = declare(queueType);
    publish(queue, RawHeaders.of('F', RawHeaders.nested(40)));
    publish(queue, new BasicProperties.Builder().messageId("m2").build());
    try (Connection connection = tolerant(io)) {
      BlockingQueue<Delivery> deliveries = consume(connection, queue);
      Delivery odd = next(deliveries);
      assertThat(odd.body()).isEqualTo(BODY);
      assertThat(odd.messageId()).isEqualTo("m1");
      assertThat(odd.type()).isEqualTo("stock-counted");
      assertThat(odd.contentType()).isEqualTo("application/json");
      assertThat(odd.headers())
          .containsEntry(Delivery.UNREADABLE_HEADERS, "odd")
          .containsEntry("good", 7)
          .containsKey("odd");
      assertThat(next(deliveries).messageId()).isEqualTo("m2");
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void aTypeThatTheClientDoesNotKnowIsKeptAsBytes() throws Exception {
    String queue = declare("classic");
    publish(queue, RawHeaders.of('L', new byte[] {0, 0, 0, 0, 0, 0, 0, 9}));
    try (Connection connection = tolerant("blocking")) {
      Map<String, Object> headers = next(consume(connection, queue)).headers();
      assertThat(headers).containsEntry("good", 7);
      assertThat(headers.get("odd"))
          .isIn("TAAAAAAAAAAJ", 9L); // newer brokers say it in a known one
    }
  }

  @Test
  void headersThatTheBrokerMakesLargerThanAFrameAreRead() throws Exception {
    String queue = declare("quorum");
    Map<String, Object> headers = Map.of("full", "x".repeat(FULL_FRAME - 8));
    publish(queue, new BasicProperties.Builder().headers(headers).build());
    for (int i = 0; i < 2; i++) {
      try (Connection connection = tolerant("blocking")) {
        assertThat(next(consume(connection, queue)).headers()).containsKey("full");
        assertThat(connection.isOpen()).isTrue();
      }
    }
  }

  @Test
  void headersAsDeepAsAFrameAllowsAreNoProblem() throws Exception {
    String queue = declare("classic");
    publish(queue, RawHeaders.of('F', RawHeaders.nested(18_000)));
    try (Connection connection = tolerant("blocking")) {
      assertThat(next(consume(connection, queue)).headers())
          .containsEntry(Delivery.UNREADABLE_HEADERS, "odd")
          .containsEntry("good", 7);
    }
  }

  @Test
  void propertiesThatBreakOffAreKeptAsBytes() throws Exception {
    byte[] whole = RawHeaders.of('I', new byte[4]).payload(BODY.length);
    byte[] broken = Arrays.copyOf(whole, whole.length - 20);
    assertThat(ContentHeader.isReadable(whole)).isTrue();
    assertThat(ContentHeader.isReadable(broken)).isFalse();

    byte[] readable = ContentHeader.readable(broken);
    BasicProperties properties =
        (BasicProperties)
            com.rabbitmq.client.impl.AMQImpl.readContentHeaderFrom(
                new DataInputStream(new ByteArrayInputStream(readable)));
    assertThat(properties.getBodySize()).isEqualTo(BODY.length);
    assertThat(properties.getHeaders())
        .containsOnlyKeys(Delivery.UNREADABLE_HEADERS, "properties")
        .containsEntry("properties", Arrays.copyOfRange(broken, 12, broken.length));
  }

  @Test
  void aProducerCannotHideAHeaderByNamingNoneAsUnreadable() throws Exception {
    String queue = declare("classic");
    Object deep = "bottom";
    for (int i = 0; i < 40; i++) {
      deep = Map.of("level", deep);
    }
    Map<String, Object> headers = Map.of("deep", deep, Delivery.UNREADABLE_HEADERS, "");
    publish(queue, new BasicProperties.Builder().headers(headers).build());
    try (Connection connection = tolerant("blocking")) {
      assertThat(next(consume(connection, queue)).headers())
          .containsEntry(Delivery.UNREADABLE_HEADERS, "deep");
    }
  }

  private static ConnectionFactory settings() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }

  @SuppressWarnings("deprecation") // NIO, which somebody may still use
  private static Connection tolerant(String io) throws Exception {
    ConnectionFactory factory = settings();
    switch (io) {
      case "NIO" -> factory.useNio();
      case "Netty" -> factory.netty();
      default -> factory.useBlockingIo();
    }
    return TolerantConnectionFactory.copyOf(factory).newConnection();
  }

  private String declare(String type) throws Exception {
    String queue = "unreadable-" + java.util.UUID.randomUUID();
    producer.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
    return queue;
  }

  private void publish(String queue, BasicProperties properties) throws Exception {
    producer.basicPublish("", queue, properties, BODY);
    producer.waitForConfirmsOrDie(30_000);
  }

  private static BlockingQueue<Delivery> consume(Connection connection, String queue)
      throws Exception {
    BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    connection
        .createChannel()
        .basicConsume(
            queue,
            false,
            (tag, it) ->
                deliveries.add(
                    new AmqpDelivery(it.getEnvelope(), it.getProperties(), it.getBody())
                        .toDelivery()),
            tag -> {});
    return deliveries;
  }

  private static Delivery next(BlockingQueue<Delivery> deliveries) throws InterruptedException {
    Delivery next = deliveries.poll(30, TimeUnit.SECONDS);
    assertThat(next).as("a delivery").isNotNull();
    return next;
  }
}
