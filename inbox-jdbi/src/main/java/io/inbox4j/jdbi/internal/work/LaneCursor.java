package io.inbox4j.jdbi.internal.work;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Where the claims of an endpoint look next: in which lanes, and from which sequence on.
 *
 * <p>A claim looks into lanes in which something was seen, a few at a time and in turn, and into a
 * few others. In those without an ordering key it starts after the messages that have had their
 * outcome, so that it does not scan dead rows that are not vacuumed yet. The positions are hints:
 * transactions commit out of order, and messages come back. So about once a second a claim looks
 * from the beginning of all lanes, and much less often while that takes long, because an old
 * transaction keeps dead rows from being vacuumed.
 *
 * <p>Thread-safe: the workers of a process share it.
 */
public final class LaneCursor {

  static final int LANES = 128;

  private static final List<Integer> ALL = IntStream.range(0, LANES).boxed().toList();

  /** The first of the lanes whose messages have an ordering key. */
  static final int KEYED = 64;

  /** How many lanes a claim looks into in which something was seen, and how many others. */
  static final int LIVE_LANES = 12;

  static final int OTHER_LANES = 2;

  /** The most lanes that a claim locks. */
  static final int MAX_LOCKED = 16;

  /** How many lanes a claim may lock at least that looks into all of them. */
  static final int MIN_EVERYWHERE = 4;

  /** The interval between two looks into all lanes from their beginning. */
  static final Duration MIN_RESCAN_INTERVAL = Duration.ofSeconds(1);

  static final Duration MAX_RESCAN_INTERVAL = Duration.ofSeconds(30);

  /** A glance that takes longer is not taken again for so many times as long. */
  static final Duration QUICK = Duration.ofMillis(1);

  /** The same interval as a multiple of how long the last one took. */
  static final int RESCAN_REST = 50;

  /** How much later a message may commit than one that comes after it. */
  static final Duration OVERLAP = Duration.ofMillis(200);

  private final LongSupplier clock;
  private final BitSet live = new BitSet(LANES);
  private final long[] passed = new long[LANES];
  private final long[] reached = new long[LANES];
  private final long[] reachedAt = new long[LANES];
  private int nextLive;
  private int nextOther;
  private int locks = MAX_LOCKED;
  private boolean rescanning;

  /** Whether the last glance found nothing, so that there was nothing at all. */
  private boolean empty;

  private long lastGlance;
  private long glanceRest;
  private long lastRescan;
  private long rescanInterval = MIN_RESCAN_INTERVAL.toNanos();

  public LaneCursor() {
    this(System::nanoTime);
  }

  /**
   * @param clock nanoseconds since an arbitrary origin
   */
  public LaneCursor(LongSupplier clock) {
    this.clock = clock;
    this.lastRescan = clock.getAsLong();
    this.lastGlance = lastRescan;
  }

  /**
   * What a claim looks into.
   *
   * @param lanes the lanes to look into
   * @param after the sequence to start after in each lane, of all there are
   * @param locks how many lanes to lock
   * @param glances whether it looks for the first and the last lane that have anything
   * @param rescans whether it looks from the beginning of all lanes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and changed by the claim it is for
  record Look(List<Integer> lanes, long[] after, int locks, boolean glances, boolean rescans) {

    /** Whether it looks into some lanes only, and at what is first and last of all. */
    boolean isQuick() {
      return lanes.size() < LANES;
    }
  }

  /** What the next claim looks into first. */
  synchronized Look look() {
    long now = clock.getAsLong();
    boolean glances = now - lastGlance >= glanceRest;
    if (!rescanning && now - lastRescan >= rescanInterval && !(empty && glances)) {
      rescanning = true;
      return new Look(ALL, new long[LANES], locks, false, true);
    }
    return new Look(some(), after(now), locks, glances, false);
  }

  /** What it looks into if that was not enough: all lanes. */
  synchronized Look lookEverywhere() {
    int most = Math.min(MAX_LOCKED, Math.max(MIN_EVERYWHERE, 2 * locks));
    return new Look(ALL, after(clock.getAsLong()), most, false, false);
  }

  private long[] after(long now) {
    for (int lane = 0; lane < LANES; lane++) {
      if (reached[lane] > passed[lane] && now - reachedAt[lane] >= OVERLAP.toNanos()) {
        passed[lane] = reached[lane];
      }
    }
    return passed.clone();
  }

  /** A few lanes in which something was seen, and a few others, each in turn. */
  private List<Integer> some() {
    List<Integer> lanes = new ArrayList<>();
    nextLive = take(lanes, nextLive, LIVE_LANES, true);
    nextOther = take(lanes, nextOther, OTHER_LANES, false);
    return lanes;
  }

  private int take(List<Integer> lanes, int from, int most, boolean isLive) {
    int next = from;
    int count = 0;
    for (int i = 0; i < LANES && count < most; i++) {
      int lane = (from + i) % LANES;
      if (live.get(lane) == isLive) {
        lanes.add(lane);
        count++;
        next = (lane + 1) % LANES;
      }
    }
    return next;
  }

  /** Records the lanes in which something was found, and how long the look took. */
  synchronized void looked(Look look, Set<Integer> found, Duration time) {
    look.lanes().forEach(live::clear);
    found.forEach(live::set);
    if (look.glances() || !found.isEmpty()) {
      empty = found.isEmpty();
    }
    if (look.glances()) {
      lastGlance = clock.getAsLong();
      glanceRest = time.compareTo(QUICK) < 0 ? 0 : RESCAN_REST * time.toNanos();
    }
    if (look.rescans()) {
      rescanInterval =
          Math.max(
              MIN_RESCAN_INTERVAL.toNanos(),
              Math.min(MAX_RESCAN_INTERVAL.toNanos(), RESCAN_REST * time.toNanos()));
    }
  }

  /** Records that a look has ended, perhaps without a result. */
  synchronized void ended(Look look) {
    if (look.rescans()) {
      lastRescan = clock.getAsLong();
      rescanning = false;
    }
  }

  /** Makes the next claims from the lane start after this sequence at the latest. */
  synchronized void startAgain(int lane, long after) {
    passed[lane] = Math.min(passed[lane], after);
    reached[lane] = passed[lane];
  }

  /** Records that what comes up to this sequence in the lane need not be looked at again. */
  synchronized void passed(int lane, long sequence) {
    after(clock.getAsLong());
    if (sequence > passed[lane] && reached[lane] <= passed[lane]) {
      reached[lane] = sequence;
      reachedAt[lane] = clock.getAsLong();
    }
  }

  /**
   * Records that a claim got as many messages as it may, or fewer, and of how many lanes they are.
   */
  synchronized void claimed(boolean full, int lanes) {
    locks = full ? Math.min(MAX_LOCKED, lanes) : Math.min(MAX_LOCKED, locks * 2);
  }
}
