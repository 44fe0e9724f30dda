package io.inbox4j.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.SendResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages pipelined on one channel with publisher confirms, persistent and mandatory.
 *
 * <p>A topic is an exchange, which is declared as a durable topic exchange unless there is one of
 * whatever type; the routing key is the event type. A queue is reached through the default
 * exchange.
 *
 * <p><b>A message that the broker refuses</b>, because it is too large or not permitted, makes the
 * broker close the channel, and all messages in flight become unknown. Only if there was no other
 * it is known to be the one. Otherwise they are suspects: when they are sent again, each is sent
 * alone, between waits for the confirms, until the one that makes the broker close the channel is
 * found and rejected. The rest of its batch goes on, on a new connection. The messages for an
 * exchange that the broker does not let be declared, and that may be there all the same, are sent
 * alone until the first one is accepted.
 *
 * <p><b>Nothing overtakes what is sent again.</b> While something of a batch is unknown and the
 * caller has not been told, no other batch is sent. What is lost with a connection is always the
 * end of what was written to it, so messages arrive in order for the first time. Only one that the
 * broker refuses for now, because its queue is full, can be overtaken by those already in flight.
 *
 * <p><b>Every wait is bounded</b>, and so is sending a batch: what is not written in time is
 * unknown, and at least one message is. A {@link CallWatch} aborts the connection when the client
 * does not return, which happens when the broker has stopped reading and the socket's buffers are
 * full. After the broker has said that it is blocked nothing is written any more, and on the
 * connection after one that was stuck the first message is sent alone: if the broker is still
 * blocked it says so, and the connection waits for it to say that it is not.
 */
final class RabbitSender implements MessageSender {

  /** What {@link RabbitTransport#openSender()} has. */
  static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);

  private static final Duration PER_MEBIBYTE = Duration.ofSeconds(1);
  private static final int MEBIBYTE = 1 << 20;

  private static final int MAX_UNANSWERED = 1_000;

  private final ConnectionFactory factory;
  private final Duration patience;
  private final Consumer<RabbitSender> closing;
  private final Suspects suspects = new Suspects();

  /** The batches of which something is, or may become, unknown to the caller, in order. */
  private final List<SentMessages> unanswered = new ArrayList<>();

  private final CallWatch watch = new CallWatch(this::callTakesTooLong);
  private volatile @Nullable AbortableConnection line;
  private volatile @Nullable SenderSession session;
  private volatile boolean closed;

  /** Whether the next message is sent alone, because the last connection was stuck. */
  private volatile boolean cautious;

  /**
   * @param patience how long it may take to connect, a call of the client may take, a message that
   *     is sent alone may wait for what was sent before it, and for its confirm, each besides the
   *     time for its body; and a batch until it is broken off, and the rest comes with the next one
   * @param closing is told when it is closed
   */
  RabbitSender(ConnectionFactory settings, Duration patience, Consumer<RabbitSender> closing) {
    this.factory = settings.clone();
    this.patience = patience;
    this.closing = closing;
    factory.setSharedExecutor(new SameThreadExecutor()); // there are no consumers
    factory.setChannelRpcTimeout((int) patience.toMillis());
    if (factory.getRequestedHeartbeat() == 0) {
      factory.setRequestedHeartbeat((int) RabbitTransport.HEARTBEAT.toSeconds());
    }
  }

  @Override
  public SentBatch send(List<OutgoingMessage> messages) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    SenderSession current = connected();
    SentMessages batch = new SentMessages(messages.size(), this::giveUp);
    if (current == null || unanswered.stream().anyMatch(SentMessages::hasUnknown)) {
      batch.settleFrom(0, new SendResult.Unknown("it would overtake messages before it"));
    } else {
      send(current, messages, batch);
    }
    unanswered.add(batch);
    return batch;
  }

  private void send(SenderSession session, List<OutgoingMessage> messages, SentMessages batch)
      throws InterruptedException {
    SenderSession current = session;
    Deadline deadline = Deadline.in(patience);
    for (int i = 0; i < messages.size(); i++) {
      if (current.isEndedByOneMessage() && !batch.hasUnknown()) {
        current = reconnected(current);
      }
      String obstacle = current.obstacle();
      if (obstacle == null && i > 0 && deadline.hasPassed()) {
        obstacle = "it was not its turn within " + patience;
      }
      if (obstacle != null) { // the rest must not overtake what is unknown
        batch.settleFrom(i, new SendResult.Unknown(obstacle));
        return;
      }
      send(current, AmqpMessage.of(messages.get(i)), batch, i);
    }
  }

  private void send(SenderSession current, AmqpMessage message, SentMessages batch, int index)
      throws InterruptedException {
    String defect = message.defect(current.maxFrame());
    if (defect != null) {
      batch.settle(index, new SendResult.Rejected(defect));
      return;
    }
    watch.begin(patience(message));
    try {
      if (!current.isDeclared(message) || suspects.include(message) || cautious) {
        sendAlone(current, message, batch, index);
      } else {
        current.publish(message, batch, index);
      }
    } finally {
      watch.end();
    }
  }

  /** Sends a message while no other is in flight, and waits for its result. */
  private void sendAlone(SenderSession current, AmqpMessage message, SentMessages batch, int index)
      throws InterruptedException {
    watch.end();
    if (!current.awaitConfirms(patience)) {
      current.giveUp("the broker has not confirmed the messages before it within " + patience);
    }
    Duration limit = patience(message);
    watch.begin(limit);
    current.publish(message, batch, index);
    watch.end();
    SendResult result = batch.await(index, limit);
    if (result == null) {
      current.giveUp("the broker has not confirmed it within " + limit);
    } else if (!(result instanceof SendResult.Unknown)) {
      suspects.clear(message);
      cautious = false;
    }
    if (result instanceof SendResult.Confirmed || result instanceof SendResult.Unroutable) {
      current.isThere(message.exchange());
    }
  }

  private Duration patience(AmqpMessage message) {
    return patience.plus(PER_MEBIBYTE.multipliedBy(message.body().length / MEBIBYTE));
  }

  private SenderSession reconnected(SenderSession ended) {
    try {
      SenderSession next = connected();
      return next == null ? ended : next;
    } catch (BrokerUnavailableException e) {
      return ended;
    }
  }

  /**
   * The session, or a new one if it has ended; null if messages that were lost with it are still
   * unknown to the caller, who sends them again before others.
   */
  private @Nullable SenderSession connected() {
    forgetAnswered();
    SenderSession last = session;
    if (last != null) {
      String blocked = last.blocked();
      if (blocked != null) { // also if it has ended: it tells when that is over
        throw new BrokerUnavailableException(
            "the broker accepts no messages at present: " + blocked);
      }
      String end = last.ended();
      if (end == null) {
        return last;
      }
      if (!unanswered.isEmpty()) {
        return null;
      }
      session = null;
      last.close(end);
    }
    watch.begin(patience);
    try {
      return connect();
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw new BrokerUnavailableException("the broker cannot be reached: " + whyAborted(), e);
    } finally {
      watch.end();
    }
  }

  /** Who awaits a batch also knows of those before it, even of those that it has dropped. */
  private void forgetAnswered() {
    for (int i = unanswered.size() - 1; i >= 0; i--) {
      if (unanswered.get(i).isTold()) {
        unanswered.subList(0, i).clear();
        break;
      }
    }
    unanswered.removeIf(SentMessages::isAnswered);
    if (unanswered.size() > MAX_UNANSWERED) {
      throw new IllegalStateException(
          "there are %d batches whose results nobody has asked for; expected at most %d"
              .formatted(unanswered.size(), MAX_UNANSWERED));
    }
  }

  private SenderSession connect() throws IOException, TimeoutException {
    AbortableConnection next = new AbortableConnection();
    line = next;
    requireOpen();
    try {
      SenderSession current = SenderSession.open(factory, next, suspects);
      session = current;
      requireOpen();
      return current;
    } catch (Throwable e) {
      session = null;
      next.abort(Supervisor.describe(e));
      throw e;
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new BrokerUnavailableException("the sender is closed");
    }
  }

  private void giveUp(String why) {
    SenderSession current = session;
    if (current != null) {
      current.giveUp(why);
    }
  }

  /** What the broker does not read, or does not answer, it may not read of the next one either. */
  private void callTakesTooLong() {
    cautious = true;
    abort("the broker has not taken it, or not answered, in time");
  }

  private @Nullable String whyAborted() {
    AbortableConnection current = line;
    return current == null ? null : current.aborted();
  }

  private void abort(String why) {
    AbortableConnection current = line;
    if (current != null) {
      current.abort(why);
    }
  }

  @Override
  public @Nullable String blocked() {
    SenderSession current = session;
    return current == null ? null : current.blocked();
  }

  @Override
  public void close() {
    closed = true;
    SenderSession current = session;
    if (current != null) {
      current.close("the sender was closed");
    }
    abort("the sender was closed");
    watch.close();
    closing.accept(this);
  }
}
