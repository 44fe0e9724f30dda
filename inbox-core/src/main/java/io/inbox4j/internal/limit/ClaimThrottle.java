package io.inbox4j.internal.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many workers of an endpoint claim at a time, as long as handlers are quick.
 *
 * <p>Workers that claim concurrently share out in small batches what one of them could do in a
 * large one. So one worker looks for messages, and for a moment one is enough: what arrives
 * meanwhile goes into its next batch, or into that of another worker when the moment is over. When
 * there is more than fits into a batch, a few work concurrently.
 *
 * <p>A batch counts among the few for one moment per message. If it takes longer, its handlers are
 * waiting for something, and another worker gets the turn: up to all of them, while handlers are
 * slow.
 */
public final class ClaimThrottle {

  static final int FEW = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  static final Duration MOMENT = Duration.ofNanos(500_000);
  private static final Duration TIME_TO_LOOK = Duration.ofMillis(100);

  private final WorkSignal signal;
  private final List<Turn> taken = new ArrayList<>();
  private boolean more;
  private boolean refused;

  /**
   * @param signal raised when a worker is needed
   */
  public ClaimThrottle(WorkSignal signal) {
    this.signal = signal;
  }

  /**
   * Takes a turn; null if there is none, then waiting for the signal ends as soon as there may be
   * one.
   */
  public synchronized @Nullable Turn take() {
    long now = System.nanoTime();
    taken.removeIf(turn -> turn.end - now <= 0);
    long wait = nanosUntilNext(now);
    if (wait > 0) {
      refused = true;
      signal.turnAfter(Duration.ofNanos(wait));
      return null;
    }
    Turn turn = new Turn(now);
    taken.add(turn);
    return turn;
  }

  private long nanosUntilNext(long now) {
    if (taken.size() >= FEW) {
      return taken.stream().mapToLong(turn -> turn.end - now).min().orElse(0);
    }
    if (more || taken.isEmpty()) {
      return 0;
    }
    Turn last = taken.get(taken.size() - 1);
    return (last.looking ? last.end : last.begin + MOMENT.toNanos()) - now;
  }

  /**
   * The turn of one worker: from before its claim until its commit, or until others may proceed.
   */
  public final class Turn implements AutoCloseable {

    private final long begin;
    private long end;
    private boolean looking = true;
    private boolean again;

    private Turn(long now) {
      begin = now;
      end = now + TIME_TO_LOOK.toNanos();
    }

    /** Records how many messages were claimed, and whether there may be more for other workers. */
    public void claimed(int messages, boolean mayBeMore) {
      synchronized (ClaimThrottle.this) {
        end = System.nanoTime() + messages * MOMENT.toNanos();
        looking = false;
        more = mayBeMore;
      }
      if (mayBeMore) {
        signal.raise();
      }
    }

    /** Announces that the worker will take another turn at once. */
    public void again() {
      again = true;
    }

    @Override
    public void close() {
      boolean callAnother;
      synchronized (ClaimThrottle.this) {
        taken.remove(this);
        callAnother = refused && !again;
        refused = false;
      }
      if (callAnother) {
        signal.raise(); // for messages that arrived after this worker had looked
      }
    }
  }
}
