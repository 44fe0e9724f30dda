package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Binding;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.InboxTransport.Receiver;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Topic;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rights that a service needs at the broker. */
@Tag("slow")
@Timeout(120)
class RightsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RabbitServer server = RabbitServer.shared();
  private final String user = "limited-" + UUID.randomUUID();
  private final String queue = "rights-" + UUID.randomUUID();
  private final String received = queue + "-received";
  private final String published = queue + "-published";
  private final ReceiveEndpoint endpoint =
      new ReceiveEndpoint(
          queue, Topology.quorum(), List.of(new Binding(received, "#")), 1, 100, 10);
  private final RecordingReceiver receiver = new RecordingReceiver(batch -> {});
  private Connection connection;
  private Channel channel;
  private RabbitTransport transport;

  @BeforeEach
  void open() throws Exception {
    server.ctl("add_user", user, "secret");
    transport =
        RabbitTransport.connect(server.uri().replaceFirst("//[^@]*@", "//" + user + ":secret@"));
    connection = RabbitTransport.settings(server.uri()).newConnection();
    channel = connection.createChannel();
  }

  @AfterEach
  void close() throws Exception {
    transport.close();
    channel.queueDelete(queue);
    channel.queueDelete(queue + ".dead-letter");
    channel.exchangeDelete(queue + ".dead-letter");
    channel.exchangeDelete(received);
    channel.exchangeDelete(published);
    connection.abort(2_000);
  }

  @Test
  void thoseOfTheDocumentationSufficeToReceiveAndToPublish() throws Exception {
    String own = queue + "(\\.dead-letter)?";
    grant(
        "^(" + own + "|" + received + "|" + published + ")$",
        "^(" + own + "|" + published + ")$",
        "^(" + own + "|" + received + ")$");
    transport.receive(endpoint, receiver, new Silent());
    assertThat(transport.openSender().send(List.of(to(published))).await(PATIENCE))
        .hasOnlyElementsOfType(SendResult.Unroutable.class);
    channel.basicPublish(received, "any", null, new byte[1]);
    await().atMost(PATIENCE).until(() -> receiver.arrivals().size() == 1);
  }

  @Test
  void withoutTheRightToDeclareItAMissingExchangeIsNamedAndWhatToDo() {
    String own = "^" + queue + "(\\.dead-letter)?$";
    grant(own, own, ".*");
    assertThatThrownBy(() -> transport.receive(endpoint, receiver, new Silent()))
        .isInstanceOf(TopologyException.class)
        .hasMessageContaining("'%s' cannot be bound to the exchange '%s'", queue, received)
        .hasMessageContaining("ACCESS_REFUSED")
        .hasMessageContaining("unbound()")
        .hasMessageNotContaining("secret");
  }

  @Test
  void anExchangeThatIsThereNeedNotBeDeclared() throws Exception {
    channel.exchangeDeclare(received, BuiltinExchangeType.TOPIC, true);
    String own = "^" + queue + "(\\.dead-letter)?$";
    grant(own, own, ".*");
    Receiver receiving = transport.receive(endpoint, receiver, new Silent());
    channel.basicPublish(received, "any", null, new byte[1]);
    await().atMost(PATIENCE).until(() -> receiver.arrivals().size() == 1);
    receiving.close(PATIENCE);
  }

  private void grant(String configure, String write, String read) {
    server.ctl("set_permissions", "-p", "/", user, configure, write, read);
  }

  private static OutgoingMessage to(String topic) {
    return Outgoing.message(new Topic(topic));
  }

  private static final class Silent implements ConnectionListener {

    @Override
    public void connected(String endpoint) {}

    @Override
    public void disconnected(String endpoint, Throwable cause) {}
  }
}
