package io.inbox4j.cli.internal.tables;

import io.inbox4j.jdbi.internal.operate.MessageQueries;
import io.inbox4j.jdbi.internal.operate.MessageQueries.MessageState;
import io.inbox4j.operations.MessageFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Detects what has happened to messages since the last poll.
 *
 * <p>It reads the newest messages, the oldest pending ones, and all that it has seen pending. So a
 * poll costs the same however much is kept; if more than a thousand messages arrive between two
 * polls, not all of them are seen.
 */
public final class MessageTail {

  /** How many of the newest and of the oldest messages are read. */
  private static final int WINDOW = 1_000;

  private static final int QUARANTINE_PAGE = 100;

  /** How many messages seen pending are followed; beyond that, only the newest. */
  private static final int MAX_WAITING = 10_000;

  /**
   * Something that happened to a message.
   *
   * @param what {@code received}, {@code processed}, {@code retrying}, {@code dead}, {@code
   *     discarded}, {@code replayed} or {@code quarantined}
   */
  public record Change(
      String what,
      String id,
      String endpoint,
      @Nullable String type,
      int attempts,
      @Nullable String error) {}

  private record State(long sequence, Change change) {

    boolean isWaiting() {
      return change.what.equals("pending") || change.what.equals("retrying");
    }

    boolean equalsIn(State other) {
      return change.what.equals(other.change.what) && change.attempts == other.change.attempts;
    }
  }

  private final CommandDatabase database;
  private Map<Long, State> before;
  private long lastQuarantined;
  private long lastArrived;

  public MessageTail(CommandDatabase database) {
    this.database = database;
    this.before = states(List.of());
    this.lastArrived = newest(before);
    this.lastQuarantined = MessageQueries.lastQuarantined(database.handle);
  }

  /** What has happened since the last poll, messages in arrival order. */
  public List<Change> look() {
    List<Long> waiting =
        before.values().stream()
            .filter(State::isWaiting)
            .map(State::sequence)
            .sorted(Comparator.reverseOrder())
            .limit(MAX_WAITING)
            .toList();
    Map<Long, State> now = states(waiting);
    List<Change> changes = new ArrayList<>();
    now.values().stream()
        .sorted(Comparator.comparingLong(State::sequence))
        .forEach(state -> addChanges(state, before.get(state.sequence), changes));
    addQuarantined(changes);
    before = now;
    lastArrived = Math.max(lastArrived, newest(now));
    return changes;
  }

  private void addChanges(State now, @Nullable State then, List<Change> changes) {
    // Messages of longer transactions become visible after those with higher sequences.
    boolean isNew = then == null && now.sequence > lastArrived - WINDOW;
    if (isNew) {
      changes.add(as("received", now.change));
    }
    if (now.change.what.equals("pending")) {
      if (then != null && !then.isWaiting()) {
        changes.add(as("replayed", now.change));
      }
    } else if (isNew || (then != null && !now.equalsIn(then))) {
      changes.add(now.change);
    }
  }

  private static Change as(String what, Change it) {
    return new Change(what, it.id, it.endpoint, it.type, it.attempts, null);
  }

  private void addQuarantined(List<Change> changes) {
    database
        .store
        .listQuarantineEntries(MessageFilter.all(), lastQuarantined, QUARANTINE_PAGE)
        .forEach(
            it -> {
              lastQuarantined = it.sequence();
              changes.add(
                  new Change(
                      "quarantined",
                      "q" + it.sequence(),
                      it.endpoint(),
                      it.type(),
                      0,
                      it.reason().code() + ": " + it.detail()));
            });
  }

  private static long newest(Map<Long, State> states) {
    return states.keySet().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private Map<Long, State> states(List<Long> waiting) {
    Map<Long, State> states = new HashMap<>();
    MessageQueries.follow(database.handle, WINDOW, waiting)
        .forEach(it -> states.put(it.sequence(), state(it)));
    return states;
  }

  private static State state(MessageState it) {
    return new State(
        it.sequence(),
        new Change(
            it.status(),
            it.messageId().toString(),
            it.endpoint(),
            it.type(),
            it.attempts(),
            it.error()));
  }
}
