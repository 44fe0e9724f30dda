package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.Inbox;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.rabbitmq.TopologyException;
import io.inbox4j.transport.Topology;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A message that would kill every connection that it is delivered to. */
@Tag("slow")
class UnreadableMessageTest {

  private static final int INNOCENT = 300;
  private static final int TOO_DEEP = 40;
  private static final byte[] BODY = {'{', '}'};

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("unreadable");
  private final Outcomes outcomes = new Outcomes();

  @Test
  void isQuarantinedOnAQuorumQueue() throws Exception {
    isQuarantined(Topology.quorum(), RabbitTransport.connect(Inboxes.amqp()));
  }

  @Test
  void isQuarantinedOnAClassicQueueWhichHasNoDeliveryLimit() throws Exception {
    isQuarantined(Topology.classic(), RabbitTransport.connect(Inboxes.amqp()));
  }

  @Test
  void isQuarantinedOnAnExistingQueueWithSettingsOfTheUsersOwn() throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.channel().queueDeclare(queue, true, false, false, Map.of());
    }
    isQuarantined(Topology.existing(), RabbitTransport.connect(settings(new ConnectionFactory())));
  }

  private void isQuarantined(Topology topology, RabbitTransport transport) throws Exception {
    Inboxes.declare(database, Inboxes.amqp(), queue, it -> it.topology(topology));
    UUID id = UUID.randomUUID();
    publish(id);
    try (Inbox inbox = inbox(topology, transport)) {
      inbox.start();
      eventually(() -> assertThat(database.effects()).isEqualTo(2 * INNOCENT));
      List<QuarantinedMessage> kept = inbox.quarantine().list(MessageFilter.all(), 10);
      assertThat(kept).hasSize(1);
      assertThat(kept.get(0).reason()).isEqualTo(QuarantineReason.UNREADABLE);
      assertThat(kept.get(0).detail()).contains("headers cannot be read").endsWith(": deep");
      assertThat(kept.get(0).delivery().messageId()).isEqualTo(id.toString());
      assertThat(kept.get(0).delivery().body()).isEqualTo(BODY);
    }
    assertThat(outcomes.disconnected).hasValue(0);
    assertAllInnocentOnesAreHandledOnce();
    assertDeadLetters(topology.kind() == Topology.Kind.EXISTING ? -1 : 0);
  }

  /** The second line of defence, where it cannot be kept from killing the connection. */
  @Test
  void endsInTheDeadLetterQueueAloneWithAConnectionFactoryThatIsASubclass() throws Exception {
    Topology topology = Topology.quorum().deliveryLimit(6);
    Inboxes.declare(database, Inboxes.amqp(), queue, it -> it.topology(topology));
    publish(UUID.randomUUID());
    try (Inbox inbox = inbox(topology, RabbitTransport.connect(settings(new OwnFactory())))) {
      inbox.start();
      eventually(() -> assertThat(database.effects()).isEqualTo(2 * INNOCENT));
      try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
        publisher.order("later");
        eventually(() -> assertThat(database.effectsOf("later")).isOne());
      }
    }
    assertThat(outcomes.disconnected).hasPositiveValue();
    assertAllInnocentOnesAreHandledOnce();
    assertDeadLetters(1);
  }

  @Test
  void aQueueThatItCouldBlockForEverIsRefused() throws Exception {
    RabbitTransport transport = RabbitTransport.connect(settings(new OwnFactory()));
    try (Inbox inbox = inbox(Topology.classic(), transport)) {
      assertThatThrownBy(inbox::startReceiving)
          .isInstanceOf(TopologyException.class)
          .hasMessageContaining("would block the queue '%s' forever", queue)
          .hasMessageContaining("Topology.quorum()");
    }
  }

  private Inbox inbox(Topology topology, RabbitTransport transport) {
    return Inbox.builder()
        .store(JdbiInboxStore.connect(database.url()))
        .transport(transport)
        .listener(outcomes)
        .subscribe(queue, it -> it.on(OrderPlaced.class, Effects::placed).topology(topology))
        .build();
  }

  private void publish(UUID unreadable) throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("before", INNOCENT);
      publisher.send(unreadable(unreadable), BODY);
      publisher.orders("behind", INNOCENT);
    }
  }

  private void assertAllInnocentOnesAreHandledOnce() {
    assertThat(database.orders())
        .containsAll(IntStream.range(0, INNOCENT).mapToObj(i -> "before" + i).toList())
        .containsAll(IntStream.range(0, INNOCENT).mapToObj(i -> "behind" + i).toList())
        .doesNotHaveDuplicates();
  }

  private void assertDeadLetters(int expected) throws Exception {
    if (expected < 0) {
      return;
    }
    try (Publisher deadLetters = new Publisher(Inboxes.amqp(), queue + ".dead-letter")) {
      eventually(() -> assertThat(deadLetters.ready()).isEqualTo(expected));
    }
  }

  private static ConnectionFactory settings(ConnectionFactory factory) throws Exception {
    factory.setUri(Inboxes.amqp());
    return factory;
  }

  private static BasicProperties unreadable(UUID id) {
    return Publisher.order(id)
        .builder()
        .headers(Map.of("deep", OddHeaders.nested(TOO_DEEP)))
        .build();
  }

  private static final class OwnFactory extends ConnectionFactory {}
}
