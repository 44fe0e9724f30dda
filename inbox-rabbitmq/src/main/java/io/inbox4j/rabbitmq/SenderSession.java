package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.rabbitmq.TopologyDeclaration.Refused;
import io.inbox4j.transport.SendResult;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a sender with its one channel, from connecting to the first failure of any kind.
 *
 * <p>One thread sends; the broker's answers come in the thread that reads from the connection,
 * which never waits.
 */
final class SenderSession {

  private static final String NAME = "inbox:sender";

  /** With these the broker closes the channel because of what is in a message. */
  private static final Set<Integer> REFUSALS =
      Set.of(AMQP.CONTENT_TOO_LARGE, AMQP.ACCESS_REFUSED, AMQP.PRECONDITION_FAILED);

  private final AbortableConnection line;
  private final Connection connection;
  private final Channel channel;
  private final Suspects suspects;
  private final Unconfirmed unconfirmed = new Unconfirmed();

  /** The exchanges that are there, for the sending thread. */
  private final Set<String> exchanges = new HashSet<>();

  /** Why the broker does not let exchanges be declared, which may be there all the same. */
  private final Map<String, String> undeclared = new ConcurrentHashMap<>();

  private volatile @Nullable String blocked;
  private volatile boolean endedByOneMessage;

  private SenderSession(
      AbortableConnection line, Connection connection, Channel channel, Suspects suspects) {
    this.line = line;
    this.connection = connection;
    this.channel = channel;
    this.suspects = suspects;
  }

  /** Connects. If that fails, the caller aborts the connection. */
  static SenderSession open(ConnectionFactory factory, AbortableConnection line, Suspects suspects)
      throws IOException, TimeoutException {
    Connection connection = line.open(factory, NAME);
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the broker allows no channel on the connection");
    }
    SenderSession session = new SenderSession(line, connection, channel, suspects);
    session.listen();
    return session;
  }

  private void listen() throws IOException {
    connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
    channel.addReturnListener(message -> guarded(() -> returned(message)));
    channel.addConfirmListener(
        (tag, multiple) ->
            guarded(() -> unconfirmed.settle(tag, multiple, new SendResult.Confirmed())),
        (tag, multiple) -> guarded(() -> unconfirmed.settle(tag, multiple, refusedForNow())));
    channel.addShutdownListener(this::failed);
    channel.confirmSelect();
  }

  /** A listener that fails must not leave the client to decide what becomes of the channel. */
  private void guarded(Runnable listener) {
    try {
      listener.run();
    } catch (Throwable e) { // out of memory, for example
      failed(e);
    }
  }

  private static SendResult refusedForNow() {
    return new SendResult.Unknown(
        "the broker has refused it for now: a queue is full, or cannot be reached");
  }

  private void returned(Return message) {
    String messageId = String.valueOf(message.getProperties().getMessageId());
    String exchange = message.getExchange();
    String routingKey = message.getRoutingKey();
    String reason =
        exchange.isEmpty()
            ? "there is no queue '%s' (%s)".formatted(routingKey, message.getReplyText())
            : "no queue is bound to the exchange '%s' for '%s' (%s)"
                .formatted(exchange, routingKey, message.getReplyText());
    if (!unconfirmed.returned(messageId, exchange, routingKey, new SendResult.Unroutable(reason))) {
      end("the broker has returned a message that was not sent");
    }
  }

  /** The maximum size of a frame in bytes, or 0 if there is none. */
  int maxFrame() {
    return connection.getFrameMax();
  }

  /** Why the broker accepts no messages, or null. */
  @Nullable String blocked() {
    return connection.isOpen() ? blocked : null;
  }

  /** Why it has ended, or null. */
  @Nullable String ended() {
    String end = unconfirmed.ended();
    return end != null || channel.isOpen() ? end : "the connection was lost";
  }

  /** Why nothing can be sent on it now, or null. */
  @Nullable String obstacle() {
    String reason = blocked();
    return reason == null ? ended() : "the broker accepts no messages at present: " + reason;
  }

  /** Whether it has ended because of a single message, with which nothing else was in flight. */
  boolean isEndedByOneMessage() {
    return endedByOneMessage;
  }

  /** Whether the exchange of a message is there: it is declared unless it exists. */
  boolean isDeclared(AmqpMessage message) {
    String exchange = message.exchange();
    if (!message.isToExchange() || exchanges.contains(exchange)) {
      return true;
    }
    if (undeclared.containsKey(exchange)) {
      return false;
    }
    try {
      Refused refused = TopologyDeclaration.declareExchange(connection, exchange);
      if (refused != null) {
        undeclared.put(exchange, refused.text());
        return false;
      }
      exchanges.add(exchange);
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      failed(e);
    }
    return true;
  }

  /** The broker has accepted a message for the exchange, so it is there. */
  void isThere(String exchange) {
    exchanges.add(exchange);
    undeclared.remove(exchange);
  }

  /** Writes a message, whose result comes later; if the session ends, it is one of those left. */
  void publish(AmqpMessage message, SentMessages batch, int index) {
    if (!unconfirmed.add(new Unconfirmed.Sent(message, batch, index))) {
      return;
    }
    try {
      channel.basicPublish(
          message.exchange(), message.routingKey(), true, message.properties(), message.body());
    } catch (IOException | RuntimeException e) {
      failed(e);
    } catch (Error e) { // half of it may be written
      failed(e);
      throw e;
    }
  }

  /** Waits until nothing is in flight; returns whether that is so in time. */
  boolean awaitConfirms(Duration atMost) throws InterruptedException {
    return unconfirmed.awaitEmpty(atMost);
  }

  /**
   * Ends it after a failure. What was in flight is unknown, unless the broker has refused a message
   * and there is only one that it can be; otherwise all are suspects.
   */
  private void failed(Throwable failure) {
    AMQP.Channel.Close close = closeIn(failure);
    if (close == null) {
      close = closeIn(channel.getCloseReason());
    }
    String why =
        close == null
            ? "the connection was lost: " + describe(failure)
            : "the broker has closed the channel: " + close.getReplyText();
    List<Unconfirmed.Sent> left = unconfirmed.end(why);
    String refusal = close == null || left.isEmpty() ? null : refusalOf(left, close);
    if (refusal == null) {
      settle(left, new SendResult.Unknown(why));
    } else if (left.size() == 1) {
      endedByOneMessage = true;
      settle(left, new SendResult.Rejected(refusal));
    } else {
      suspects.are(Unconfirmed.ids(left));
      settle(left, new SendResult.Unknown(why));
    }
  }

  private String describe(Throwable failure) {
    String aborted = line.aborted();
    return aborted == null ? Supervisor.describe(failure) : aborted;
  }

  /** Why the broker refuses one of these messages, or null if that is not why it closed. */
  private @Nullable String refusalOf(List<Unconfirmed.Sent> left, AMQP.Channel.Close close) {
    if (close.getReplyCode() == AMQP.NOT_FOUND) {
      return undeclared.get(left.get(0).message().exchange());
    }
    return REFUSALS.contains(close.getReplyCode()) ? close.getReplyText() : null;
  }

  private static AMQP.Channel.@Nullable Close closeIn(@Nullable Throwable failure) {
    Throwable cause = failure instanceof ShutdownSignalException ? failure : causeOf(failure);
    return cause instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
            && !signal.isInitiatedByApplication()
        ? close
        : null;
  }

  private static @Nullable Throwable causeOf(@Nullable Throwable failure) {
    return failure == null ? null : failure.getCause();
  }

  private void end(String why) {
    settle(unconfirmed.end(why), new SendResult.Unknown(why));
  }

  private static void settle(List<Unconfirmed.Sent> sent, SendResult result) {
    sent.forEach(it -> it.settle(result));
  }

  /**
   * Ends it because the broker does not answer. A connection that the broker has blocked stays
   * open, because only on it the broker says when it accepts messages again.
   */
  void giveUp(String why) {
    end(why);
    if (blocked() == null) {
      line.abort(why);
    }
  }

  /** Disconnects; what is in flight is unknown. Does not wait for long. */
  void close(String why) {
    boolean quiet = unconfirmed.isEmpty() && blocked() == null;
    end(why);
    if (quiet) {
      line.close(why);
    } else {
      line.abort(why);
    }
  }
}
