package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RabbitTransportTest {

  @Test
  void onAConnectionOfTheUsersOwnAConsumerMayAskTheBrokerAndWait() throws Exception {
    try (Connection connection =
            RabbitTransport.settings(RabbitServer.shared().uri()).newConnection();
        Channel channel = connection.createChannel()) {
      String queue = channel.queueDeclare().getQueue();
      CompletableFuture<Integer> consumers = new CompletableFuture<>();
      channel.basicConsume(
          queue,
          (tag, delivery) ->
              consumers.complete(channel.queueDeclarePassive(queue).getConsumerCount()),
          tag -> {});
      channel.basicPublish("", queue, null, new byte[0]);
      assertThat(consumers).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1);
    }
  }
}
