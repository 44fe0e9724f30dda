package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.impl.LongStringHelper;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Delivery;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the broker hands over, after a real journey through it. */
class AmqpDeliveryTest {

  @Test
  void propertiesAndBodyAreTakenOver() throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId("id")
            .type("stock-counted")
            .contentType("application/json")
            .contentEncoding("identity")
            .correlationId("correlation")
            .appId("warehouse")
            .build();
    Delivery delivery = through(properties);
    assertThat(delivery.messageId()).isEqualTo("id");
    assertThat(delivery.type()).isEqualTo("stock-counted");
    assertThat(delivery.contentType()).isEqualTo("application/json");
    assertThat(delivery.contentEncoding()).isEqualTo("identity");
    assertThat(delivery.correlationId()).isEqualTo("correlation");
    assertThat(delivery.source()).isEqualTo("warehouse");
    assertThat(delivery.headers()).isEmpty();
    assertThat(delivery.redelivered()).isFalse();
    assertThat(delivery.body()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
  }

  @Test
  void whatIsNotSetIsNull() throws Exception {
    Delivery delivery = through(null);
    assertThat(delivery.messageId()).isNull();
    assertThat(delivery.type()).isNull();
    assertThat(delivery.contentType()).isNull();
    assertThat(delivery.correlationId()).isNull();
    assertThat(delivery.source()).isNull();
    assertThat(delivery.headers()).isEmpty();
  }

  @Test
  void headersBecomeWhatJsonHas() throws Exception {
    Map<String, Object> headers = new HashMap<>();
    headers.put("text", "Grüße");
    headers.put("int", 7);
    headers.put("long", 1L << 40);
    headers.put("double", 0.5);
    headers.put("decimal", new BigDecimal("1.25"));
    headers.put("boolean", true);
    headers.put("nothing", null);
    headers.put("date", Date.from(Instant.parse("2026-01-02T03:04:05Z")));
    headers.put("bytes", new byte[] {1, 2, 3});
    headers.put("damaged", LongStringHelper.asLongString(new byte[] {-1}));
    headers.put("list", Arrays.asList(1, "two", null, List.of(3)));
    headers.put("table", Map.of("inner", Map.of("date", Date.from(Instant.EPOCH))));

    Map<String, Object> expected = new HashMap<>(headers);
    expected.put("date", "2026-01-02T03:04:05Z");
    expected.put("bytes", "AQID");
    expected.put("damaged", "\uFFFD");
    expected.put("table", Map.of("inner", Map.of("date", "1970-01-01T00:00:00Z")));
    assertThat(through(new BasicProperties.Builder().headers(headers).build()).headers())
        .isEqualTo(expected);
  }

  private static Delivery through(BasicProperties properties) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      String queue = channel.queueDeclare().getQueue();
      channel.basicPublish("", queue, properties, "{}".getBytes(StandardCharsets.UTF_8));
      channel.waitForConfirmsOrDie(30_000);
      GetResponse got = channel.basicGet(queue, true);
      return new AmqpDelivery(got.getEnvelope(), got.getProps(), got.getBody()).toDelivery();
    }
  }
}
