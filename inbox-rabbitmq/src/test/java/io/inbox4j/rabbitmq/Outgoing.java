package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.OutgoingMessage.Destination;
import io.inbox4j.transport.SendResult;
import io.inbox4j.transport.SendResult.Unknown;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Messages to send, and sending them until it is known what became of each. */
final class Outgoing {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int MAX_ROUNDS = 100;

  private Outgoing() {}

  static OutgoingMessage message(Destination destination) {
    return message(destination, Map.of(), "{}".getBytes(StandardCharsets.UTF_8));
  }

  static OutgoingMessage message(Destination destination, int size) {
    return message(destination, Map.of(), new byte[size]);
  }

  static OutgoingMessage message(
      Destination destination, Map<String, @Nullable Object> headers, byte[] body) {
    return new OutgoingMessage(
        UUID.randomUUID(),
        destination,
        "stock-counted",
        "application/json",
        body,
        headers,
        null,
        null,
        null,
        null,
        null);
  }

  static List<OutgoingMessage> messages(Destination destination, int count) {
    return IntStream.range(0, count).mapToObj(i -> message(destination)).toList();
  }

  static List<String> ids(List<OutgoingMessage> messages) {
    return messages.stream().map(it -> it.messageId().toString()).toList();
  }

  /** The messages and, in the same order, what became of them in the last round. */
  record Settled(Map<UUID, SendResult> results, int rounds) {

    SendResult of(OutgoingMessage message) {
      return results.get(message.messageId());
    }
  }

  /** Sends in order whatever is unknown, until nothing is. */
  static Settled sendUntilSettled(MessageSender sender, List<OutgoingMessage> messages)
      throws InterruptedException {
    Map<UUID, SendResult> results = new LinkedHashMap<>();
    List<OutgoingMessage> left = messages;
    int rounds = 0;
    while (!left.isEmpty()) {
      assertThat(rounds).as("rounds").isLessThan(MAX_ROUNDS);
      try {
        List<SendResult> now = sender.send(left).await(PATIENCE);
        rounds++;
        List<OutgoingMessage> unknown = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
          results.put(left.get(i).messageId(), now.get(i));
          if (now.get(i) instanceof Unknown) {
            unknown.add(left.get(i));
          }
        }
        left = unknown;
      } catch (BrokerUnavailableException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }
    return new Settled(results, rounds);
  }
}
