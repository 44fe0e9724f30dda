package io.inbox4j.operations;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What somebody did with one message, recorded with the change itself.
 *
 * @param action what was done
 * @param origin what the message was before
 * @param sequence its place in arrival order, or in the quarantine
 * @param endpoint where it came from
 * @param messageId its identity; of a quarantined delivery the text that it came with, or null
 * @param type the event's type, or null if the delivery named none
 * @param reason why it was dead or in quarantine, or when it was due
 * @param by who did it
 * @param at when
 */
public record Intervention(
    Action action,
    Origin origin,
    long sequence,
    String endpoint,
    @Nullable String messageId,
    @Nullable String type,
    String reason,
    String by,
    Instant at) {

  /** What can be done with a message. */
  public enum Action {
    /** It was given back, to be handled. */
    REPLAY,
    /** It was taken away for good. */
    DISCARD,
    /** It is handled now, and not later. */
    EXPEDITE;

    /** The action of this name in the table. */
    public static Action ofCode(String code) {
      return valueOf(code.toUpperCase(Locale.ROOT));
    }
  }

  /** What a message was. */
  public enum Origin {
    /** Still to be handled. */
    PENDING,
    /** Given up on. */
    DEAD,
    /** A delivery that could not be stored as an event. */
    QUARANTINE;

    /** The name in the table: {@code dead}. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
