package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class RabbitClusterTest {

  private static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");

  @Test
  void newNodesFormOneClusterThatCountsItsMessages() throws Exception {
    assumeTrue(RabbitCluster.isPossible(), "a cluster needs rabbitmq-server on this machine");
    try (RabbitCluster cluster = RabbitCluster.start(3)) {
      try (Connection connection = connect(cluster.port(1));
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        channel.queueDeclare("counted", true, false, false, QUORUM);
        channel.basicPublish("", "counted", null, new byte[1]);
        channel.waitForConfirmsOrDie(60_000);
      }
      assertThat(cluster.messagesIn(List.of("counted"))).isEqualTo(1);
      assertThat(cluster.leaderOf("counted")).isBetween(0, 2);
    }
  }

  private static Connection connect(int port) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri("amqp://guest:guest@127.0.0.1:" + port);
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection("test");
  }
}
