package io.inbox4j.reliability.chaos;

import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.Postpone;
import io.inbox4j.handler.RetryLater;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/** What goes wrong in the handler of some messages, by their digest, so that it does so again. */
enum Trouble {
  NONE,
  FAILS_ONCE,
  FAILS_ALWAYS,
  GIVES_UP,
  LATER,
  TOO_EARLY,
  ERROR,
  STACK_OVERFLOW,
  BAD_SQL,
  SWALLOWS_BAD_SQL,
  COMMITS,
  CLOSES;

  private static final int ONE_IN = 150;

  /** Once in every process, because a postponed attempt does not count. */
  private static final Set<UUID> POSTPONED = ConcurrentHashMap.newKeySet();

  static Trouble of(StepTaken event) {
    int hash = Math.floorMod(event.digest().hashCode(), ONE_IN * (values().length - 1));
    return hash % ONE_IN == 0 ? values()[1 + hash / ONE_IN] : NONE;
  }

  boolean endsInDeath() {
    return this == FAILS_ALWAYS || this == GIVES_UP;
  }

  void strike(EventContext context) throws Exception {
    if (endsInDeath()) {
      throw this == GIVES_UP
          ? DeadLetter.because("it gives up")
          : new IllegalStateException("it always fails");
    }
    if (context.attempt() > 1) {
      return;
    }
    switch (this) {
      case FAILS_ONCE -> throw new IllegalStateException("it fails once");
      case LATER -> throw RetryLater.after(Duration.ofMillis(50), "later");
      case ERROR -> throw new AssertionError("an error, once");
      case STACK_OVERFLOW -> overflow(0);
      case BAD_SQL ->
          context.commitWith(
              transaction -> transaction.unwrap(Handle.class).execute("SELECT 1 / 0"));
      case SWALLOWS_BAD_SQL ->
          context.commitWith(
              transaction -> {
                try {
                  transaction.unwrap(Handle.class).execute("SELECT 1 / 0");
                } catch (RuntimeException swallowed) {
                  // and goes on as if nothing had happened
                }
              });
      case COMMITS ->
          context.commitWith(
              transaction -> transaction.unwrap(Handle.class).getConnection().commit());
      case CLOSES ->
          context.commitWith(
              transaction -> transaction.unwrap(Handle.class).getConnection().close());
      case TOO_EARLY -> {
        if (POSTPONED.add(context.messageId())) {
          throw Postpone.by(Duration.ofMillis(100), "too early");
        }
      }
      default -> {}
    }
  }

  private static int overflow(int depth) {
    return depth < 0 ? 0 : overflow(depth + 1) + 1;
  }
}
