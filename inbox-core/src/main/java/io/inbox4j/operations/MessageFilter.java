package io.inbox4j.operations;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A filter for pending, dead or quarantined messages, or for interventions. Immutable; every method
 * returns a narrower copy.
 *
 * @param endpoint of this endpoint, or null for any
 * @param types of one of these types; empty for any
 * @param text with this text in their error or reason, or null for any
 * @param olderThan received (if they are pending), dead, quarantined or done at least this long
 *     ago, or null for any
 * @param sequence with this sequence, or null for any
 */
public record MessageFilter(
    @Nullable String endpoint,
    Set<String> types,
    @Nullable String text,
    @Nullable Duration olderThan,
    @Nullable Long sequence) {

  public MessageFilter {
    types = Set.copyOf(types);
    if (olderThan != null) {
      DurationRange.ANY.check("olderThan", olderThan);
    }
  }

  /** Matches everything. */
  public static MessageFilter all() {
    return new MessageFilter(null, Set.of(), null, null, null);
  }

  /** Only those of the endpoint. */
  public MessageFilter endpoint(String name) {
    return new MessageFilter(name, types, text, olderThan, sequence);
  }

  /** Only those of one of these types. */
  public MessageFilter types(Set<String> names) {
    return new MessageFilter(endpoint, names, text, olderThan, sequence);
  }

  /** Only those whose error or reason contains this text. */
  public MessageFilter text(String part) {
    return new MessageFilter(endpoint, types, part, olderThan, sequence);
  }

  /** Only those that have been there for at least this long. */
  public MessageFilter olderThan(Duration age) {
    return new MessageFilter(endpoint, types, text, age, sequence);
  }

  /**
   * Only the one with this sequence: {@link PendingMessage#sequence()} of a pending message, {@link
   * DeadMessage#sequence()} of a dead one, {@link QuarantinedMessage#sequence()} of a quarantined
   * one.
   */
  public MessageFilter sequence(long place) {
    return new MessageFilter(endpoint, types, text, olderThan, place);
  }
}
