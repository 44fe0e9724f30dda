package io.inbox4j.processor;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims messages and leases them, as many as the limits of concurrency allow.
 *
 * <p>Suspects that cannot run now are left where they are, in front of others. So the next claim
 * looks behind as many messages as the last one has left.
 */
final class LeasedClaims {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);

  private final Workload workload;
  private final Duration time;
  private final InboxStore store;
  private final Gate gate;
  private final Outcomes outcomes;
  private int rounds;
  private final List<Loner> loners = new ArrayList<>();
  private boolean withSuspects;
  private int left;
  private int further;
  private boolean onlyLeft;

  /**
   * A message that has to be apart from other suspects: a second process has died over it.
   *
   * @param last whether it is given up on if its process dies once more
   */
  record Loner(long sequence, String type, boolean last) {}

  LeasedClaims(Workload workload, Duration time, InboxStore store, Gate gate, Outcomes outcomes) {
    this.workload = workload;
    this.time = time;
    this.store = store;
    this.gate = gate;
    this.outcomes = outcomes;
  }

  /**
   * Leases up to this many messages that are due, but none that has to be apart from other
   * suspects.
   *
   * @param suspects whether to lease suspects, too
   * @param mostLeft behind how many messages to look at most that were left before
   */
  List<Leased> claim(int room, boolean suspects, int mostLeft) {
    loners.clear();
    withSuspects = suspects;
    further = Math.min(2 * left, mostLeft);
    left = 0;
    onlyLeft = false;
    rounds++;
    int admitted = gate.circuit().admits();
    if (admitted == 0) {
      return List.of();
    }
    int most = Math.min(Math.min(room, workload.batchSize()), admitted);
    int allowed = gate.all().take(most, gate.signal());
    List<Leased> leased = new ArrayList<>();
    try {
      leased.addAll(claim(gate.unlimited(), allowed, null));
      for (Gate.TypeLimit type : gate.limited()) {
        leased.addAll(claimLimited(type, allowed - leased.size()));
      }
    } catch (RuntimeException e) {
      if (leased.isEmpty()) {
        throw e;
      }
      log.warn("A claim of {} was cut short: {}", workload.endpoint(), FailureText.logged(e));
    } finally {
      gate.all().giveBack(allowed - leased.size());
      if (leased.isEmpty()) {
        gate.circuit().foundNothing();
        onlyLeft = left > further && further < mostLeft;
      }
    }
    return leased;
  }

  /** Whether the last claim has seen nothing but what it left, and the next one looks further. */
  boolean looksFurther() {
    return onlyLeft;
  }

  /**
   * The next of the messages that the last claim has left because they have to be apart from other
   * suspects; null if there is none.
   *
   * @param last whether it may be one that would be given up on
   */
  @Nullable Loner nextLoner(boolean last) {
    Loner next =
        loners.stream()
            .filter(loner -> last || !loner.last)
            .min(Comparator.comparing(Loner::last))
            .orElse(null);
    loners.remove(next);
    return next;
  }

  /** Leases a message that has to be apart from other suspects, if it is still there. */
  List<Leased> claimLoner(Loner loner) {
    Permits ofType = permitsOf(loner.type());
    int allowed = gate.all().take(1, gate.signal());
    int permits = ofType == null ? allowed : ofType.take(allowed, gate.signal());
    List<Leased> leased = List.of();
    try {
      if (permits == 1) {
        leased =
            lease(transaction -> transaction.claimDue(List.of(loner.sequence())), 1, ofType, loner);
      }
    } finally {
      gate.all().giveBack(allowed - leased.size());
      if (ofType != null) {
        ofType.giveBack(permits - leased.size());
      }
    }
    return leased;
  }

  private @Nullable Permits permitsOf(String type) {
    return gate.limited().stream()
        .filter(limit -> limit.names().contains(type))
        .map(Gate.TypeLimit::permits)
        .findFirst()
        .orElse(null);
  }

  private List<Leased> claimLimited(Gate.TypeLimit type, int room) {
    int permits = type.permits().take(room, gate.signal());
    List<Leased> leased = List.of();
    try {
      leased = claim(type.names(), permits, type.permits());
    } finally {
      type.permits().giveBack(permits - leased.size());
    }
    return leased;
  }

  private List<Leased> claim(Set<String> types, int limit, @Nullable Permits permits) {
    if (types.isEmpty() || limit == 0) {
      return List.of();
    }
    return lease(transaction -> claim(transaction, types, limit + further), limit, permits, null);
  }

  /** Leases claimed messages; what has killed its process too often dies instead. */
  private List<Leased> lease(
      Function<WorkTransaction, List<StoredMessage>> claim,
      int limit,
      @Nullable Permits permits,
      @Nullable Loner alone) {
    List<StoredMessage> toLease = new ArrayList<>();
    List<Result> givenUp = new ArrayList<>();
    List<Leased> leased;
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      for (StoredMessage message : claim.apply(transaction)) {
        if (Recovery.isGivenUp(workload, message)) {
          Outcome dead = Recovery.givenUp(workload, message);
          givenUp.add(new Result(message, message.attempt(), dead, null));
        } else if (alone == null ? mustBeLeft(message) : isLast(message) && !alone.last) {
          leave(message);
        } else if (toLease.size() < limit) {
          toLease.add(message);
        }
      }
      leased = lease(transaction, toLease, permits);
      transaction.commit(givenUp.stream().map(Result::outcome).toList());
    }
    outcomes.committed(givenUp);
    return leased;
  }

  private boolean mustBeLeft(StoredMessage message) {
    return message.suspect() && (!withSuspects || message.crashes() > 0);
  }

  private boolean isLast(StoredMessage message) {
    return Recovery.isLastChance(workload, message);
  }

  private void leave(StoredMessage message) {
    left++;
    if (message.crashes() > 0) {
      loners.add(new Loner(message.sequence(), message.type(), isLast(message)));
    }
  }

  /** Messages with or without an ordering key by turns, the other kind if none of them can run. */
  private List<StoredMessage> claim(WorkTransaction transaction, Set<String> types, int limit) {
    boolean ordered = workload.ordered() == (rounds % 2 == 0);
    List<StoredMessage> messages = new ArrayList<>(claim(transaction, ordered, types, limit));
    if (messages.stream().allMatch(this::mustBeLeft)) {
      messages.addAll(claim(transaction, !ordered, types, limit));
    }
    return messages;
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
