package io.inbox4j.processor;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Claims messages and leases them, as many as the limits of concurrency allow. */
final class LeasedClaims {

  private final Workload workload;
  private final Duration time;
  private final InboxStore store;
  private final Gate gate;
  private final Outcomes outcomes;
  private int rounds;
  private boolean lonersWait;

  LeasedClaims(Workload workload, Duration time, InboxStore store, Gate gate, Outcomes outcomes) {
    this.workload = workload;
    this.time = time;
    this.store = store;
    this.gate = gate;
    this.outcomes = outcomes;
  }

  /** Leases up to this many messages that are due, but none that has to run alone. */
  List<Leased> claim(int room) {
    lonersWait = false;
    int admitted = gate.circuit().admits();
    if (admitted == 0) {
      return List.of();
    }
    int allowed = gate.all().take(Math.min(Math.min(room, workload.batchSize()), admitted));
    List<Leased> leased = new ArrayList<>();
    try {
      leased.addAll(claim(gate.unlimited(), allowed, null, false));
      for (Gate.TypeLimit type : gate.limited()) {
        leased.addAll(claimLimited(type, allowed - leased.size(), false));
      }
    } finally {
      gate.all().giveBack(allowed - leased.size());
      if (leased.isEmpty()) {
        gate.circuit().foundNothing();
      }
    }
    return leased;
  }

  /** Whether the last claim has seen messages that have to run alone. */
  boolean lonersWait() {
    return lonersWait;
  }

  /** Leases one message that has to run alone, or none if there is none any more. */
  List<Leased> claimLoner() {
    int allowed = gate.all().take(1);
    List<Leased> loner = List.of();
    try {
      loner = claim(gate.unlimited(), allowed, null, true);
      for (Gate.TypeLimit type : gate.limited()) {
        loner = loner.isEmpty() ? claimLimited(type, allowed, true) : loner;
      }
    } finally {
      gate.all().giveBack(allowed - loner.size());
    }
    return loner;
  }

  private List<Leased> claimLimited(Gate.TypeLimit type, int room, boolean alone) {
    int permits = type.permits().take(room);
    List<Leased> leased = List.of();
    try {
      leased = claim(type.names(), permits, type.permits(), alone);
    } finally {
      type.permits().giveBack(permits - leased.size());
    }
    return leased;
  }

  /** Leases messages of these types; what has killed its process too often dies instead. */
  private List<Leased> claim(
      Set<String> types, int limit, @Nullable Permits permits, boolean alone) {
    if (types.isEmpty() || limit == 0) {
      return List.of();
    }
    List<StoredMessage> toLease = new ArrayList<>();
    List<Result> givenUp = new ArrayList<>();
    List<Leased> leased;
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      for (StoredMessage message :
          claim(transaction, types, alone ? workload.batchSize() : limit)) {
        boolean loner = message.suspect() && message.crashes() > 0;
        if (Recovery.isGivenUp(workload, message)) {
          Outcome dead = Recovery.givenUp(workload, message);
          givenUp.add(new Result(message, message.attempt(), dead, null));
        } else if (loner == alone && toLease.size() < limit) {
          toLease.add(message);
        }
        lonersWait |= loner;
      }
      leased = lease(transaction, toLease, permits);
      transaction.commit(givenUp.stream().map(Result::outcome).toList());
    }
    outcomes.committed(givenUp);
    return leased;
  }

  /** Messages with or without an ordering key by turns, the other kind when there are none. */
  private List<StoredMessage> claim(WorkTransaction transaction, Set<String> types, int limit) {
    boolean ordered = workload.ordered() == (++rounds % 2 == 0);
    List<StoredMessage> messages = claim(transaction, ordered, types, limit);
    return messages.isEmpty() ? claim(transaction, !ordered, types, limit) : messages;
  }

  private static List<StoredMessage> claim(
      WorkTransaction transaction, boolean ordered, Set<String> types, int limit) {
    return ordered ? transaction.claimFirstOfKeys(types, limit) : transaction.claim(types, limit);
  }

  private List<Leased> lease(
      WorkTransaction transaction, List<StoredMessage> messages, @Nullable Permits permits) {
    if (messages.isEmpty()) {
      return List.of();
    }
    List<Lease> leases = transaction.lease(messages, time);
    List<Leased> leased = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      leased.add(new Leased(messages.get(i).noted(), leases.get(i), () -> free(permits)));
    }
    return leased;
  }

  private void free(@Nullable Permits permits) {
    gate.all().giveBack(1);
    if (permits != null) {
      permits.giveBack(1);
    }
  }
}
