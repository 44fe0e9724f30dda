package io.inbox4j.internal.run;

import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs the handlers of claimed messages in one transaction.
 *
 * <p>Messages run in segments. Without failures a segment costs one savepoint, however long it is.
 * When a message fails, its segment is rolled back to the savepoint; the messages before it run
 * again as a segment of their own, the message is recorded as failed, and the rest of the segment
 * continues. So a failure costs the rest of the batch a repetition, never an outcome, and the
 * claims are held throughout.
 *
 * <p>A step is what one handler call handles: one message, or as many consecutive messages as one
 * batch handler takes. When such a call fails, the step is bisected until the failing message is
 * isolated.
 *
 * <p>What handlers have handed over is sent at the end of the segment. When that fails, it is not
 * known which message it was: halves of the segment run, until the failing message is isolated.
 *
 * <p>A message that would be dead, but failed after the handler of another message had run in the
 * same transaction, gets no outcome yet: the other handler may have changed what this one saw. It
 * has to run again, alone.
 *
 * <p>Messages that follow a failed one with the same ordering key get no outcome: their claims end
 * with the commit, and they wait for it.
 */
public final class BatchRunner {

  private final EndpointConfig config;
  private final Call call;
  private final InboxStore store;
  private final WorkTransaction transaction;
  private final PendingWrites writes;
  private final OutgoingBuffer outgoing;
  private final List<ClaimedMessage> messages;
  private final BooleanSupplier stopping;
  private boolean checked;

  /** Whether the transaction contains effects of a handler. */
  private boolean kept;

  /** How many of the messages have been passed to a handler at least once. */
  private int reached;

  /** When the last step began. */
  private long stepBegan;

  private final List<HandledMessage> results;
  private final Set<String> heldKeys = new HashSet<>();
  private final Set<Long> failedAlone = new HashSet<>();
  private final List<ClaimedMessage> again = new ArrayList<>();

  /** The call that handles messages in the transaction. */
  public interface Call {

    /** Whether one call handles both. */
    default boolean takesTogether(ClaimedMessage one, ClaimedMessage next) {
      return false;
    }

    /**
     * Handles one message, or several that one call takes together, in the transaction, which it
     * may use until it returns.
     */
    void handle(List<ClaimedMessage> step, HandlerTransaction transaction) throws Exception;
  }

  public BatchRunner(
      WorkerContext context,
      Call call,
      WorkTransaction transaction,
      List<ClaimedMessage> messages,
      BooleanSupplier stopping) {
    this.config = context.config();
    this.call = call;
    this.store = context.store();
    this.transaction = transaction;
    this.writes = new PendingWrites(transaction);
    this.outgoing = new OutgoingBuffer(transaction);
    this.messages = messages;
    this.stopping = stopping;
    this.results = new ArrayList<>(messages.size());
  }

  /** Returns a runner that calls the handlers of the endpoint. */
  public static BatchRunner of(
      WorkerContext context,
      WorkTransaction transaction,
      List<ClaimedMessage> messages,
      BooleanSupplier stopping) {
    HandlerInvoker handlers = context.handlers();
    Call call =
        new Call() {
          @Override
          public boolean takesTogether(ClaimedMessage one, ClaimedMessage next) {
            return handlers.takesTogether(one, next);
          }

          @Override
          public void handle(List<ClaimedMessage> step, HandlerTransaction lent) throws Exception {
            handlers.handle(step, lent);
          }
        };
    return new BatchRunner(context, call, transaction, handlers.grouped(messages), stopping);
  }

  /**
   * Whether to check deferred constraints after every segment, so that the message whose commit
   * would fail is identified.
   */
  public BatchRunner checked(boolean yes) {
    checked = yes;
    return this;
  }

  /**
   * Runs all messages, then commits the transaction with their outcomes through the callback.
   *
   * @throws AbandonedException if the infrastructure failed, or the worker was interrupted to stop
   * @throws LostBatchException if the transaction was lost after a handler had used it
   * @throws BrokenBatchException if a handler has ended the transaction
   */
  public void run(int segment, Consumer<List<HandledMessage>> commit) {
    try {
      for (int from = 0; from < messages.size(); ) {
        int to = (int) Math.min(messages.size(), (long) from + segment);
        runSegment(from, to);
        from = to;
      }
      outgoing.send();
      commit.accept(results);
    } catch (TransactionEndedException e) { // noticed too late to know which message caused it
      throw new BrokenBatchException(messages.subList(0, reached), e);
    } catch (StoreUnavailableException e) {
      if (reached == 0 || !transaction.isLost()) {
        throw e;
      }
      throw new LostBatchException(messages.subList(0, reached), reached == 1, e);
    }
  }

  /** The messages that failed terminally in a shared transaction and have to run again, alone. */
  public List<ClaimedMessage> again() {
    return again;
  }

  private void runSegment(int from, int to) {
    if (from == to) {
      return;
    }
    transaction.savepoint();
    int at = from;
    int next = from;
    try {
      for (; at < to; at = next) {
        next = endOfStep(at, to);
        reached = Math.max(reached, next);
        stepBegan = System.nanoTime();
        runStep(messages.subList(at, next));
        if (transaction.isEnded()) {
          throw new TransactionEndedException();
        }
      }
      writes.send();
      if (checked) {
        transaction.check();
      }
      transaction.releaseSavepoint();
      outgoing.keep();
      succeeded(from, to);
    } catch (Throwable thrown) { // a handler may throw anything, and it is recorded
      Duration took = Duration.ofNanos(System.nanoTime() - stepBegan);
      Throwable failure = FailureText.readable(thrown);
      boolean known = !writes.haveFailed();
      rollBack(failure, known ? messages.subList(at, Math.max(at, next)) : List.of());
      goOnAfter(failure);
      if (known || to - from == 1) {
        runAround(from, at, next, to, failure, took);
      } else {
        runHalves(from, to);
      }
    }
  }

  private int endOfStep(int at, int to) {
    int end = at + 1;
    while (end < to && call.takesTogether(messages.get(at), messages.get(end))) {
      end++;
    }
    return end;
  }

  /**
   * Rolls back to the savepoint. If that fails, the transaction is unusable: whether the handler
   * has ended it is known; if it is lost, whether the handler caused that is not.
   *
   * @param step what has failed, if it is known
   */
  private void rollBack(Throwable failure, List<ClaimedMessage> step) {
    try {
      if (!step.isEmpty() && transaction.isEnded()) {
        throw new BrokenBatchException(step, new TransactionEndedException());
      }
      transaction.rollbackToSavepoint();
      writes.drop();
      outgoing.drop();
    } catch (BrokenBatchException | TransactionEndedException e) {
      throw e;
    } catch (RuntimeException e) {
      e.addSuppressed(failure);
      throw givenUp(failure, step, e);
    }
  }

  private RuntimeException givenUp(
      Throwable failure, List<ClaimedMessage> step, RuntimeException undo) {
    FailureKind fault = store.failureKind(failure);
    if (fault == FailureKind.TIMED_OUT || fault == FailureKind.CONFLICT) {
      return new AbandonedException("the batch was given up", failure);
    }
    if (fault == FailureKind.MESSAGE && store.failureKind(undo) == FailureKind.TIMED_OUT) {
      return undo;
    }
    List<ClaimedMessage> orphans = step.isEmpty() ? messages.subList(0, reached) : step;
    return new LostBatchException(orphans, reached == orphans.size(), failure);
  }

  /** Gives the batch up if it is in the way of others, or the worker is being stopped. */
  private void goOnAfter(Throwable failure) {
    boolean interrupted = Thread.interrupted() || failure instanceof InterruptedException;
    if (store.failureKind(failure) == FailureKind.CONFLICT
        || (interrupted && stopping.getAsBoolean())) {
      throw new AbandonedException("the batch was given up", failure);
    }
  }

  /**
   * Runs a rolled-back segment again, without what failed in the step {@code at} to {@code next}.
   *
   * <p>The transaction is still usable. So a failure that looks like the infrastructure's comes
   * from another database that the handler uses, and counts as the message's.
   */
  private void runAround(int from, int at, int next, int to, Throwable failure, Duration took) {
    boolean shared = kept || from < at;
    if (failure instanceof DefaultBatchContext.MembersFailed members) {
      runSegment(from, at);
      setDown(at, next, members.failures(), shared, took);
      runSegment(at, to);
    } else if (to - from == 1) {
      failed(messages.get(from), failure, kept, took);
    } else if (store.failureKind(failure) == FailureKind.ABORTED || at == to) {
      runHalves(from, to); // the culprit is not known
    } else {
      runSegment(from, at);
      stepFailed(at, next, failure, shared, took);
      runSegment(next, to);
    }
  }

  /**
   * Records failures in arrival order, whatever order the handler reported them in, because the
   * first of a key blocks it.
   */
  private void setDown(
      int at, int next, Map<ClaimedMessage, Throwable> failures, boolean shared, Duration took) {
    for (ClaimedMessage message : messages.subList(at, next)) {
      Throwable failure = failures.get(message);
      if (failure != null) {
        failed(message, failure, shared, took);
      }
    }
  }

  private void runHalves(int from, int to) {
    int middle = (from + to) >>> 1;
    runSegment(from, middle);
    runSegment(middle, to);
  }

  /**
   * Records the failure of a step; a batch handler that asks to be called later does so for all.
   */
  private void stepFailed(int at, int next, Throwable failure, boolean shared, Duration took) {
    boolean forAll = failure instanceof RetryLater || failure instanceof Postpone;
    if (next - at > 1 && !forAll) {
      runHalves(at, next);
    } else {
      messages.subList(at, next).forEach(message -> failed(message, failure, shared, took));
    }
  }

  private void runStep(List<ClaimedMessage> step) throws Exception {
    if (Thread.interrupted() && stopping.getAsBoolean()) {
      throw new InterruptedException("the worker is being stopped");
    }
    List<ClaimedMessage> left = step;
    if (!heldKeys.isEmpty() || !failedAlone.isEmpty()) {
      left = step.stream().filter(message -> !isLeftOut(message)).toList();
    }
    if (!left.isEmpty()) {
      HandlerTransaction lent = new HandlerTransaction(transaction, writes, outgoing);
      try {
        call.handle(left, lent);
      } finally {
        lent.end();
      }
      if (!stopping.getAsBoolean()) {
        Thread.interrupted(); // a stale flag left by the handler
      }
    }
  }

  private void succeeded(int from, int to) {
    for (int i = from; i < to; i++) {
      ClaimedMessage message = messages.get(i);
      if (!isLeftOut(message)) {
        Outcome outcome = new Outcome.Processed(message.sequence());
        results.add(new HandledMessage(message, message.attempt(), outcome, null));
        kept = true;
      }
    }
  }

  /** Whether it, or an earlier message of the same key, has already failed in this batch. */
  private boolean isLeftOut(ClaimedMessage message) {
    return (message.orderingKey() != null && heldKeys.contains(message.orderingKey()))
        || failedAlone.contains(message.sequence());
  }

  /**
   * @param shared whether the handler of another message had run before it in the transaction
   */
  private void failed(ClaimedMessage message, Throwable failure, boolean shared, Duration took) {
    if (isLeftOut(message)) {
      return;
    }
    Outcome outcome = config.outcomeOf(message, failure, took);
    boolean runsAgain =
        shared && outcome instanceof Outcome.Dead && !(failure instanceof UnreadableEventException);
    if (message.orderingKey() != null && (runsAgain || config.blocksKey(outcome))) {
      heldKeys.add(message.orderingKey());
    }
    failedAlone.add(message.sequence());
    if (runsAgain) {
      again.add(message);
    } else {
      results.add(new HandledMessage(message, message.attempt(), outcome, failure));
    }
  }
}
