package io.inbox4j.cli.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.cli.internal.broker.DeadLetterRecovery.Report;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(120)
class DeadLetterRecoveryTest {

  private static final int OF_OTHERS = 3;
  private static final int OWN = 40;

  private final String queue = "recovered-" + UUID.randomUUID();
  private final String letters = queue + ".dead-letter";

  @Test
  void thoseOfAQuorumQueueThatStayAreGivenBackMeanwhileAndCountedOnce() throws Exception {
    areGivenBackMeanwhileAndCountedOnce("quorum");
  }

  @Test
  void thoseOfAClassicQueueThatStayAreGivenBackMeanwhileAndCountedOnce() throws Exception {
    areGivenBackMeanwhileAndCountedOnce("classic");
  }

  /** A broker takes everything back from whoever holds something for too long. */
  private void areGivenBackMeanwhileAndCountedOnce(String type) throws Exception {
    try (Connection connection = connect()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
      channel.queueDeclare(letters, true, false, false, Map.of("x-queue-type", type));
      for (int i = 0; i < OF_OTHERS; i++) {
        publish(channel, diedIn("another"));
      }
      for (int i = 0; i < OWN; i++) {
        publish(channel, diedIn(queue));
      }
      channel.waitForConfirmsOrDie(30_000);
      Report report =
          DeadLetterRecovery.of(connection, queue, letters, Duration.ofNanos(1))
              .run(
                  Long.MAX_VALUE,
                  looked -> assertThat(looked).isLessThanOrEqualTo(OF_OTHERS + OWN));
      assertThat(report.recovered()).isEqualTo(OWN);
      assertThat(report.ofOthers()).isEqualTo(OF_OTHERS);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> channel.messageCount(letters) == OF_OTHERS);
      assertThat(channel.messageCount(queue)).isEqualTo(OWN);
    }
  }

  @Test
  void whereOnlySuchAreLeftItEnds() throws Exception {
    try (Connection connection = connect()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.queueDeclare(queue, true, false, false, null);
      channel.queueDeclare(letters, true, false, false, null);
      for (int i = 0; i < OF_OTHERS; i++) {
        publish(channel, diedIn("another"));
      }
      channel.waitForConfirmsOrDie(30_000);
      Report report =
          DeadLetterRecovery.of(connection, queue, letters, Duration.ofNanos(1))
              .run(Long.MAX_VALUE, looked -> {});
      assertThat(report.recovered()).isZero();
      assertThat(report.ofOthers()).isEqualTo(OF_OTHERS);
    }
  }

  private static Connection connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection();
  }

  private static BasicProperties diedIn(String name) {
    return new BasicProperties.Builder()
        .deliveryMode(2)
        .headers(Map.of("x-death", List.of(Map.of("queue", name))))
        .build();
  }

  private void publish(Channel channel, BasicProperties properties) throws Exception {
    channel.basicPublish("", letters, properties, new byte[0]);
  }
}
