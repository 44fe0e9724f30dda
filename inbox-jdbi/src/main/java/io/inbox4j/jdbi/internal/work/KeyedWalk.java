package io.inbox4j.jdbi.internal.work;

import io.inbox4j.store.ClaimedMessage;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A walk along locked lanes of messages with an ordering key.
 *
 * <p>It takes the first messages of every key, in arrival order, up to one that cannot be handled
 * now. Messages behind a parked or dead one of their key are moved out of the lane until that one
 * is due. So a key that is held up holds up only itself, and is not looked at again and again.
 */
final class KeyedWalk {

  private static final int MIN_PAGE = 64;
  private static final int MAX_PAGES = 64;

  private final ClaimStatements statements;
  private final Set<String> types;
  private final int limit;
  private final boolean onlyFirstOfKeys;
  private final Map<Long, Entry> taken = new LinkedHashMap<>();
  private final List<Entry> held = new ArrayList<>();
  private final Map<String, Kind> kinds = new HashMap<>();
  private final Set<String> heldUp = new HashSet<>();

  /**
   * A message in a lane.
   *
   * @param heldUp whether an earlier message of its key has to be handled first
   */
  record Entry(
      int lane,
      long sequence,
      String key,
      String type,
      boolean orphaned,
      int crashes,
      boolean heldUp) {}

  KeyedWalk(ClaimStatements statements, Set<String> types, int limit, boolean onlyFirstOfKeys) {
    this.statements = statements;
    this.types = types;
    this.limit = limit;
    this.onlyFirstOfKeys = onlyFirstOfKeys;
  }

  /** Claims from the beginning of these lanes: an earlier message of a key may have come back. */
  List<ClaimedMessage> claim(List<Integer> lanes) throws SQLException {
    long[] from = new long[LaneCursor.LANES];
    int page = Math.max(limit, MIN_PAGE);
    int seen = page;
    for (int pages = 0; taken.isEmpty() && seen == page && pages < MAX_PAGES; pages++) {
      List<Entry> entries = statements.walk(lanes, from, heldUp, page);
      entries.forEach(this::look);
      entries.forEach(entry -> from[entry.lane] = Math.max(from[entry.lane], entry.sequence));
      seen = entries.size();
    }
    return taken.isEmpty() ? List.of() : withoutGaps(statements.claimThese(taken.values()));
  }

  /** Messages to move out of the way, so that others behind them are found. */
  List<Entry> held() {
    return held;
  }

  private void look(Entry entry) {
    if (entry.heldUp) {
      held.add(entry);
      return;
    }
    Kind kind = Kind.of(entry.orphaned, entry.crashes);
    Kind before = kinds.putIfAbsent(entry.key, kind);
    boolean isOfItsKind = before == null || before == kind;
    if (heldUp.contains(entry.key)
        || taken.size() == limit
        || !isOfItsKind
        || !types.contains(entry.type)) {
      heldUp.add(entry.key);
      return;
    }
    taken.put(entry.sequence, entry);
    if (kind == Kind.ISOLATED || onlyFirstOfKeys) {
      heldUp.add(entry.key);
    }
  }

  /** Leaves out keys of which a message could not be claimed, with what comes after it. */
  private List<ClaimedMessage> withoutGaps(List<ClaimedMessage> claimed) {
    Map<Long, Entry> missing = new HashMap<>(taken);
    claimed.forEach(message -> missing.remove(message.sequence()));
    if (missing.isEmpty()) {
      return claimed;
    }
    Set<String> keys = new HashSet<>();
    missing.values().forEach(entry -> keys.add(entry.key));
    return claimed.stream().filter(message -> !keys.contains(message.orderingKey())).toList();
  }

  /**
   * Fresh and orphaned messages run in different transactions, so a claim takes one kind per key.
   */
  private enum Kind {
    FRESH,
    ORPHAN,
    ISOLATED;

    static Kind of(boolean orphaned, int crashes) {
      return !orphaned ? FRESH : crashes == 0 ? ORPHAN : ISOLATED;
    }
  }
}
