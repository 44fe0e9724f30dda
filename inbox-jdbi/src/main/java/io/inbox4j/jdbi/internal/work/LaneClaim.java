package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.LaneSql;
import io.inbox4j.store.ClaimedMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages from lanes.
 *
 * <p>Messages wait in lanes, so that claimers are in each other's way as little as possible: a
 * claim locks a few lanes that nobody else has locked, until the end of its transaction, and takes
 * what is there. Everything in a lane is due. What was parked is moved back into its lane when it
 * is.
 *
 * <p>For messages with an ordering key the lock is what keeps the order: only its holder claims
 * them. Others are claimed without it where all lanes are locked, by whoever locks the row.
 */
final class LaneClaim {

  private static final int MAX_LOOKS = LaneCursor.LANES / LaneCursor.MAX_LOCKED;

  private final ClaimStatements statements;
  private final LaneCursor cursor;
  private final boolean onlyFirstOfKeys;
  private final List<ClaimedMessage> messages = new ArrayList<>();
  private final Map<Integer, Long> positions = new HashMap<>();
  private final Set<Integer> used = new HashSet<>();
  private final List<KeyedWalk.Entry> held = new ArrayList<>();
  private boolean mayBeMore;

  /**
   * @param onlyFirstOfKeys whether only one message of a key can be handled at a time
   */
  LaneClaim(ClaimStatements statements, LaneCursor cursor, boolean onlyFirstOfKeys) {
    this.statements = statements;
    this.cursor = cursor;
    this.onlyFirstOfKeys = onlyFirstOfKeys;
  }

  /** Claims up to this many messages of these types. */
  List<ClaimedMessage> claim(Set<String> types, int limit) throws SQLException {
    boolean showsAll = claim(cursor.look(), types, limit);
    for (int looks = 0; !showsAll && isWorthALook(looks, limit); looks++) {
      showsAll = claim(cursor.lookEverywhere(), types, limit);
    }
    boolean full = !messages.isEmpty() && messages.size() >= limit;
    mayBeMore |= full;
    cursor.claimed(full, (int) messages.stream().mapToInt(statements::laneOf).distinct().count());
    messages.sort(Comparator.comparingLong(ClaimedMessage::sequence));
    return messages;
  }

  /** A claim goes on until it has something and has looked everywhere, or until it is full. */
  private boolean isWorthALook(int looks, int limit) {
    return messages.size() < limit && (looks == 0 || (messages.isEmpty() && looks < MAX_LOOKS));
  }

  /** Claims what a look finds; returns whether it has shown that there is nothing else. */
  private boolean claim(LaneCursor.Look look, Set<String> types, int limit) throws SQLException {
    Lanes lanes = look(look);
    used.addAll(lanes.locked);
    boolean lockedAll = lanes.found.size() <= lanes.locked.size();
    mayBeMore |= !lockedAll;
    lanes.heads.forEach((lane, head) -> startBefore(head, lane, look.after()));
    Set<Integer> unlocked = new HashSet<>(lanes.found);
    unlocked.removeAll(lanes.locked);
    unlocked.removeIf(lane -> lane >= LaneCursor.KEYED);
    unpark(lanes, lanes.locked, look.after(), limit - messages.size());
    claim(lanes.locked, look.after(), types, limit);
    if (messages.isEmpty() && !unlocked.isEmpty() && lanes.locked.size() < look.locks()) {
      unpark(lanes, unlocked, look.after(), limit); // others have locked them
      claimUnkeyed(List.copyOf(unlocked), look.after(), types, limit);
      used.addAll(unlocked);
    }
    return look.isQuick()
        ? look.glances() && lanes.found.size() <= 1 && lanes.due < LaneSql.MAX_DUE
        : lockedAll;
  }

  /**
   * Whether there may be more to claim now, by this worker or another one. Where messages with an
   * ordering key were claimed, others may arrive in their lanes and find them locked.
   */
  boolean mayBeMore() {
    return !held.isEmpty() || (mayBeMore && !messages.isEmpty());
  }

  /**
   * Moves what cannot be claimed yet out of its lane. This is left to the end, because what a
   * transaction has changed looks as if it had been in flight if it is rolled back.
   */
  void settle() throws SQLException {
    statements.hold(held);
  }

  /**
   * Lets the next claims start after what this one has taken, as far as it is not in its lane any
   * more, once that is committed.
   */
  void committed(Set<Long> gone) {
    Map<Integer, Long> left = new HashMap<>();
    messages.stream()
        .filter(it -> !gone.contains(it.sequence()))
        .forEach(it -> left.merge(statements.laneOf(it), it.sequence() - 1, Math::min));
    positions.forEach(
        (lane, sequence) ->
            cursor.passed(lane, Math.min(sequence, left.getOrDefault(lane, Long.MAX_VALUE))));
  }

  private Lanes look(LaneCursor.Look look) throws SQLException {
    long begin = System.nanoTime();
    try {
      Lanes lanes = statements.lockLanes(look, used);
      passHeads(look, lanes);
      cursor.looked(look, lanes.heads.keySet(), Duration.ofNanos(System.nanoTime() - begin));
      return lanes;
    } finally {
      cursor.ended(look);
    }
  }

  /**
   * What comes before the first message of a lane need not be looked at again, whoever has taken
   * it. Of a lane that it only glanced at it may have seen the last message instead.
   */
  private void passHeads(LaneCursor.Look look, Lanes lanes) {
    for (int lane : look.lanes()) {
      Long head = lanes.heads.get(lane);
      if (head != null && lane < LaneCursor.KEYED) {
        cursor.passed(lane, head - 1);
      }
    }
  }

  /** What a look has found. */
  static final class Lanes {

    /** The lanes that have something, or of which something is parked that is due. */
    private final Set<Integer> found = new LinkedHashSet<>();

    /** Those that are locked now. */
    private final Set<Integer> locked = new LinkedHashSet<>();

    /** Those of which something is parked that is due. */
    private final Set<Integer> parked = new LinkedHashSet<>();

    /** Those that have something, each with the first sequence that was seen. */
    private final Map<Integer, Long> heads = new HashMap<>();

    private int due;

    static Lanes none() {
      return new Lanes();
    }

    /**
     * @param head the first sequence that was seen in the lane, or null if there was none
     * @param parkedAndDue how many parked messages of it were seen that are due
     */
    void add(int lane, boolean isLocked, @Nullable Long head, int parkedAndDue) {
      if (isLocked) {
        locked.add(lane);
      }
      if (found.add(lane)) {
        due += parkedAndDue;
      }
      if (head != null) {
        heads.put(lane, head);
      }
      if (parkedAndDue > 0) {
        parked.add(lane);
      }
    }
  }

  private void startBefore(long sequence, int lane, long[] after) {
    if (sequence <= after[lane]) {
      after[lane] = sequence - 1;
      cursor.startAgain(lane, sequence - 1);
    }
  }

  /** Moves what is due back into these lanes. */
  private void unpark(Lanes lanes, Set<Integer> into, long[] after, int most) throws SQLException {
    Set<Integer> parked = new HashSet<>(lanes.parked);
    parked.retainAll(into);
    if (!parked.isEmpty() && most > 0) {
      statements.unpark(parked, most, (lane, sequence) -> startBefore(sequence, lane, after));
    }
  }

  private void claim(Set<Integer> locked, long[] after, Set<String> types, int limit)
      throws SQLException {
    List<Integer> keyed = locked.stream().filter(it -> it >= LaneCursor.KEYED).toList();
    List<Integer> unkeyed = locked.stream().filter(it -> it < LaneCursor.KEYED).toList();
    if (messages.size() < limit) {
      claimKeyed(keyed, types, limit);
    }
    positions.putAll(claimUnkeyed(unkeyed, after, types, limit - messages.size()));
  }

  private Map<Integer, Long> claimUnkeyed(
      List<Integer> lanes, long[] after, Set<String> types, int limit) throws SQLException {
    Map<Integer, Long> reached = new HashMap<>();
    int room = lanes.isEmpty() ? 0 : limit;
    while (room > 0) {
      // The limit is part of the statement, and few statements stay prepared.
      int most = messages.isEmpty() ? room : Integer.highestOneBit(room);
      List<ClaimedMessage> claimed = statements.claim(lanes, after, types, most);
      for (ClaimedMessage message : claimed) {
        int lane = statements.laneOf(message);
        after[lane] = Math.max(after[lane], message.sequence());
        reached.put(lane, after[lane]);
      }
      messages.addAll(claimed);
      room = claimed.size() < most ? 0 : room - most;
    }
    return reached;
  }

  private void claimKeyed(List<Integer> lanes, Set<String> types, int limit) throws SQLException {
    if (!lanes.isEmpty()) {
      KeyedWalk walk = new KeyedWalk(statements, types, limit - messages.size(), onlyFirstOfKeys);
      messages.addAll(walk.claim(lanes));
      mayBeMore = true;
      held.addAll(walk.held());
    }
  }
}
