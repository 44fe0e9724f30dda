package io.inbox4j.internal.lease;

import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.limit.ConcurrencyLimit;
import io.inbox4j.internal.recover.OrphanRecovery;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
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
 * Claims messages and leases them, as many as the concurrency limits allow.
 *
 * <p>Orphaned messages that cannot run now stay in place, ahead of others. So the next claim looks
 * past as many messages as the last one skipped.
 */
final class LeaseClaimer {

  private static final Logger log = LoggerFactory.getLogger(LeaseClaimer.class);

  private final WorkerContext context;
  private final Duration time;
  private final List<IsolatedMessage> isolated = new ArrayList<>();
  private boolean withOrphans;
  private int left;
  private int further;
  private boolean onlyLeft;
  private boolean heldBack;

  /**
   * A message that must not run together with other orphaned messages, because it was marked as a
   * crash risk before.
   *
   * @param last whether this is its last attempt: it is given up on if its process dies once more
   */
  record IsolatedMessage(long sequence, String type, boolean last) {}

  LeaseClaimer(WorkerContext context, Duration time) {
    this.context = context;
    this.time = time;
  }

  /**
   * Leases up to this many messages that are due, except isolated ones.
   *
   * @param orphans whether to lease orphaned messages, too
   * @param mostLeft the maximum number of previously skipped messages to look past
   */
  List<InFlightMessage> claim(int room, boolean orphans, int mostLeft) {
    isolated.clear();
    withOrphans = orphans;
    further = Math.min(2 * left, mostLeft);
    left = 0;
    onlyLeft = false;
    heldBack = false;
    int admitted = context.circuit().admits();
    if (admitted == 0) {
      return List.of();
    }
    int most = Math.min(Math.min(room, context.config().batchSize()), admitted);
    int allowed = context.admissionControl().all().take(most, context.signal());
    List<InFlightMessage> leased = new ArrayList<>();
    try {
      leased.addAll(claim(context.admissionControl().unlimited(), allowed, null));
      for (AdmissionControl.TypeLimit type : context.admissionControl().limited()) {
        leased.addAll(claimLimited(type, allowed - leased.size()));
      }
    } catch (RuntimeException e) {
      if (leased.isEmpty()) {
        throw e;
      }
      log.warn("A claim of {} was cut short: {}", context.endpoint(), FailureText.logged(e));
    } finally {
      context.admissionControl().all().release(allowed - leased.size());
      if (leased.isEmpty()) {
        context.circuit().foundNothing();
        onlyLeft = left > further && further < mostLeft;
      }
    }
    return leased;
  }

  /**
   * Whether the last claim saw only messages that it skipped, or that it moved out of the way, so
   * that the next one looks further.
   */
  boolean looksFurther() {
    return onlyLeft || heldBack;
  }

  /**
   * The next of the isolated messages that the last claim skipped; null if there is none.
   *
   * @param last whether it may be one on its last attempt
   */
  @Nullable IsolatedMessage nextIsolated(boolean last) {
    IsolatedMessage next =
        isolated.stream()
            .filter(isolatedMessage -> last || !isolatedMessage.last)
            .min(Comparator.comparing(IsolatedMessage::last))
            .orElse(null);
    isolated.remove(next);
    return next;
  }

  /** Leases an isolated message, if it is still due and can be claimed. */
  List<InFlightMessage> claimIsolated(IsolatedMessage isolatedMessage) {
    ConcurrencyLimit ofType = permitsOf(isolatedMessage.type());
    int allowed = context.admissionControl().all().take(1, context.signal());
    int permits = ofType == null ? allowed : ofType.take(allowed, context.signal());
    List<InFlightMessage> leased = List.of();
    try {
      if (permits == 1) {
        leased =
            lease(
                transaction -> transaction.claimDue(List.of(isolatedMessage.sequence())),
                1,
                ofType,
                isolatedMessage);
      }
    } finally {
      context.admissionControl().all().release(allowed - leased.size());
      if (ofType != null) {
        ofType.release(permits - leased.size());
      }
    }
    return leased;
  }

  private @Nullable ConcurrencyLimit permitsOf(String type) {
    return context.admissionControl().limited().stream()
        .filter(limit -> limit.names().contains(type))
        .map(AdmissionControl.TypeLimit::permits)
        .findFirst()
        .orElse(null);
  }

  private List<InFlightMessage> claimLimited(AdmissionControl.TypeLimit type, int room) {
    int permits = type.permits().take(room, context.signal());
    List<InFlightMessage> leased = List.of();
    try {
      leased = claim(type.names(), permits, type.permits());
    } finally {
      type.permits().release(permits - leased.size());
    }
    return leased;
  }

  private List<InFlightMessage> claim(
      Set<String> types, int limit, @Nullable ConcurrencyLimit permits) {
    if (types.isEmpty() || limit == 0) {
      return List.of();
    }
    return lease(
        transaction -> transaction.claimFirstOfKeys(types, limit + further), limit, permits, null);
  }

  /**
   * Leases claimed messages; those that have crashed their process too often become dead instead.
   */
  private List<InFlightMessage> lease(
      Function<WorkTransaction, List<ClaimedMessage>> claim,
      int limit,
      @Nullable ConcurrencyLimit permits,
      @Nullable IsolatedMessage alone) {
    List<ClaimedMessage> toLease = new ArrayList<>();
    List<HandledMessage> givenUp = new ArrayList<>();
    List<InFlightMessage> leased;
    try (WorkTransaction transaction = context.begin()) {
      List<ClaimedMessage> claimed = claim.apply(transaction);
      heldBack |= claimed.isEmpty() && transaction.mayHaveMore();
      for (ClaimedMessage message : claimed) {
        if (OrphanRecovery.isGivenUp(context.config(), message)) {
          Outcome dead = OrphanRecovery.givenUp(context.config(), message);
          givenUp.add(new HandledMessage(message, message.attempt(), dead, null));
        } else if (alone == null ? mustBeLeft(message) : isLast(message) && !alone.last) {
          leave(message);
        } else if (toLease.size() < limit) {
          toLease.add(message);
        }
      }
      leased = lease(transaction, toLease, permits);
      transaction.commit(givenUp.stream().map(HandledMessage::outcome).toList());
    }
    context.outcomes().committed(givenUp);
    return leased;
  }

  private boolean mustBeLeft(ClaimedMessage message) {
    return message.orphaned() && (!withOrphans || message.crashes() > 0);
  }

  private boolean isLast(ClaimedMessage message) {
    return OrphanRecovery.isLastChance(context.config(), message);
  }

  private void leave(ClaimedMessage message) {
    left++;
    if (message.crashes() > 0) {
      isolated.add(new IsolatedMessage(message.sequence(), message.type(), isLast(message)));
    }
  }

  private List<InFlightMessage> lease(
      WorkTransaction transaction,
      List<ClaimedMessage> messages,
      @Nullable ConcurrencyLimit permits) {
    if (messages.isEmpty()) {
      return List.of();
    }
    List<Lease> leases = transaction.lease(messages, time);
    List<InFlightMessage> leased = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      leased.add(new InFlightMessage(messages.get(i).atRisk(), leases.get(i), () -> free(permits)));
    }
    return leased;
  }

  private void free(@Nullable ConcurrencyLimit permits) {
    context.admissionControl().all().release(1);
    if (permits != null) {
      permits.release(1);
    }
  }
}
