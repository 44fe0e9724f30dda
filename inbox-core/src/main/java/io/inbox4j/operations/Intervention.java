package io.inbox4j.operations;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An operator's action on one message, recorded in the same transaction as the change.
 *
 * @param action what was done
 * @param origin what the message was before
 * @param sequence its position in arrival order, or in the quarantine
 * @param endpoint the endpoint that received it
 * @param messageId its identity; for a quarantined delivery the id that it carried as text, or null
 * @param type the event's type, or null if the delivery named none
 * @param reason why it was dead or in quarantine, or when it was due
 * @param by who did it
 * @param at when it was done
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

  /** The action that was taken. */
  public enum Action {
    /** The message became pending again. */
    REPLAY,
    /** The message was permanently discarded. */
    DISCARD,
    /** The message became due now instead of later. */
    EXPEDITE;

    /** The action with this name in the table. */
    public static Action ofCode(String code) {
      return valueOf(code.toUpperCase(Locale.ROOT));
    }
  }

  /** The state of the message before the action. */
  public enum Origin {
    /** Still to be handled. */
    PENDING,
    /** Given up on. */
    DEAD,
    /** A delivery that could not be stored as an event. */
    QUARANTINE;

    /** The name in the table, for example {@code dead}. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
