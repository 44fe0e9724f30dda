package io.inbox4j.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class RabbitServerTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static RabbitServer server;

  @BeforeAll
  static void start() {
    server = RabbitServer.start();
    assumeTrue(server.isOwn(), "the broker of INBOX_TEST_AMQP is not ours to stop");
  }

  @AfterAll
  static void close() {
    boolean own = server.isOwn();
    server.close();
    assertThat(own && AmqpProbe.isReady(server.uri())).isFalse();
  }

  @Test
  void aConfirmedMessageSurvivesAKill() throws Exception {
    String queue = "survivor";
    try (Connection connection = connect()) {
      declare(connection, queue);
      server.flush();
      publishConfirmed(connection, queue, "still here");

      server.kill9();

      await().atMost(LONG).until(() -> !connection.isOpen());
    } catch (AlreadyClosedException e) {
      // Closing what the kill has closed already.
    }
    assertThatThrownBy(RabbitServerTest::connect).isInstanceOf(IOException.class);
    server.restart();
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      GetResponse message =
          await().atMost(LONG).until(() -> channel.basicGet(queue, true), got -> got != null);
      assertThat(new String(message.getBody(), UTF_8)).isEqualTo("still here");
    }
  }

  @Test
  void aRunningServerCanBeRestarted() throws Exception {
    String before = server.ctl("eval", "os:getpid().");
    server.restart();
    assertThat(server.ctl("eval", "os:getpid().")).isNotEqualTo(before);
    connect().close();
  }

  @Test
  void aStoppedBrokerTakesConnectionsAgainOnceItIsStarted() throws Exception {
    String node = server.ctl("eval", "os:getpid().");
    server.stopApp();
    assertThatThrownBy(RabbitServerTest::connect).isInstanceOf(IOException.class);
    server.startApp();
    connect().close();
    assertThat(server.ctl("eval", "os:getpid().")).isEqualTo(node);
  }

  @Test
  void allConnectionsAreClosedByTheServer() throws Exception {
    Connection connection = connect();
    server.closeAllConnections();
    await().atMost(LONG).until(() -> !connection.isOpen());
    assertThat(connection.getCloseReason()).hasMessageContaining("closed by a test");
  }

  @Test
  void aDeletedQueueIsGone() throws Exception {
    try (Connection connection = connect()) {
      declare(connection, "doomed");
      assertThat(server.ctl("list_queues", "name")).contains("doomed");
      server.deleteQueue("doomed");
      assertThat(server.ctl("list_queues", "name")).doesNotContain("doomed");
    }
  }

  @Test
  void aCommandThatFailsSaysWhy() {
    assertThatThrownBy(() -> server.ctl("no_such_command"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no_such_command");
  }

  @Test
  void aServerThatIsNotOursIsNotControlled() {
    try (RabbitServer given = new GivenRabbit(server.uri())) {
      assertThat(given.isOwn()).isFalse();
      given.deleteQueue("nothing-there");
      assertThatThrownBy(given::kill9).hasMessageContaining("INBOX_TEST_AMQP");
      assertThatThrownBy(given::restart).hasMessageContaining("INBOX_TEST_AMQP");
      assertThatThrownBy(given::stopApp).hasMessageContaining("stop_app");
      assertThatThrownBy(given::closeAllConnections).isInstanceOf(IllegalStateException.class);
    }
    assertThat(AmqpProbe.isReady(server.uri())).isTrue();
  }

  private static void declare(Connection connection, String queue) throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
    }
  }

  private static void publishConfirmed(Connection connection, String queue, String text)
      throws Exception {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.basicPublish("", queue, MessageProperties.PERSISTENT_TEXT_PLAIN, text.getBytes(UTF_8));
    channel.waitForConfirmsOrDie(LONG.toMillis());
  }

  private static Connection connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(server.uri());
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection("test");
  }
}
