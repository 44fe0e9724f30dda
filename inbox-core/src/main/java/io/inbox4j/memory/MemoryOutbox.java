package io.inbox4j.memory;

import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing messages. They get their sequence with the commit, so that none appears before another
 * one later. Whoever uses it has the lock of the tables.
 */
final class MemoryOutbox {

  private static final int MAX_RELEASED = 500;

  private record Waiting(OutgoingMessage message, Instant since) {}

  private record Scheduled(OutgoingMessage message, Instant due) {}

  private record Dead(OutgoingMessage message, OutboxReader.Undeliverable why) {}

  private final NavigableMap<Long, Waiting> waiting = new TreeMap<>();
  private final List<Scheduled> scheduled = new ArrayList<>();
  private final Map<Long, Dead> dead = new HashMap<>();
  private @Nullable UUID relay;
  private Instant relayUntil = Instant.MIN;
  private long last;

  void publish(List<StoredOutgoing> messages, Instant now) {
    for (StoredOutgoing stored : messages) {
      Instant due = due(stored, now);
      if (due.isAfter(now)) {
        scheduled.add(new Scheduled(stored.message(), due));
      } else {
        send(stored.message(), now);
      }
    }
  }

  private static Instant due(StoredOutgoing message, Instant now) {
    if (message.sendAt() != null) {
      return message.sendAt();
    }
    return message.delay() == null ? now : now.plus(message.delay());
  }

  private void send(OutgoingMessage message, Instant now) {
    waiting.put(++last, new Waiting(message, now));
  }

  boolean cancel(UUID messageId) {
    return scheduled.removeIf(it -> it.message.messageId().equals(messageId));
  }

  boolean reschedule(UUID messageId, Instant sendAt) {
    boolean found = scheduled.stream().anyMatch(it -> it.message.messageId().equals(messageId));
    scheduled.replaceAll(
        it -> it.message.messageId().equals(messageId) ? new Scheduled(it.message, sendAt) : it);
    return found;
  }

  int release(Instant now) {
    List<Scheduled> due =
        scheduled.stream()
            .filter(it -> !it.due.isAfter(now))
            .sorted(Comparator.comparing(Scheduled::due))
            .limit(MAX_RELEASED)
            .toList();
    scheduled.removeAll(due);
    due.forEach(it -> send(it.message, now));
    return due.size();
  }

  boolean lead(UUID process, Duration time, Instant now) {
    if (relay != null && !relay.equals(process) && !relayUntil.isBefore(now)) {
      return false;
    }
    relay = process;
    relayUntil = now.plus(time);
    return true;
  }

  void resign(UUID process) {
    if (process.equals(relay)) {
      relay = null;
    }
  }

  OutboxStatus status(Instant now) {
    return new OutboxStatus(
        waiting.size(),
        waiting.isEmpty() ? null : Duration.between(waiting.firstEntry().getValue().since, now),
        scheduled.size(),
        dead.size());
  }

  /** The next messages: one at least, if there is one, and otherwise no more than so many bytes. */
  List<OutboxReader.Entry> after(long sequence, int limit, long bytes) {
    List<OutboxReader.Entry> next = new ArrayList<>();
    long size = 0;
    for (Map.Entry<Long, Waiting> row : waiting.tailMap(sequence, false).entrySet()) {
      OutgoingMessage message = row.getValue().message;
      size += message.body().length;
      if (next.size() == limit || (!next.isEmpty() && size > bytes)) {
        break;
      }
      next.add(new OutboxReader.Entry(row.getKey(), message));
    }
    return next;
  }

  void settle(List<Long> sent, List<OutboxReader.Undeliverable> undeliverable) {
    sent.forEach(waiting::remove);
    for (OutboxReader.Undeliverable why : undeliverable) {
      Waiting row = waiting.remove(why.sequence());
      if (row != null) {
        dead.put(why.sequence(), new Dead(row.message, why));
      }
    }
  }
}
