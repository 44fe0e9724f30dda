package io.inbox4j.processor;

import io.inbox4j.internal.SafeListener;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.internal.Storing;
import io.inbox4j.store.Fault;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Receipt;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Handles messages in the transaction that stores them.
 *
 * <p>A handler that fails is undone, and its message is left to the processor. So is every message
 * that should not run here: one that was delivered before, because it may have killed the process;
 * one that has to wait behind an earlier message of its key; and all of them while the endpoint is
 * paused or rests, or the inbox is being closed.
 *
 * <p>Used by one consumer at a time, or by several at once.
 */
final class InlineHandling implements Storing {

  private final Workload workload;
  private final Handlers handlers;
  private final InboxStore store;
  private final Gate gate;
  private final Outcomes outcomes;
  private final Recovery recovery;
  private final BooleanSupplier stopping;
  private final ThreadLocal<Pace> pace;

  InlineHandling(
      Workload workload,
      Handlers handlers,
      InboxStore store,
      SafeListener listener,
      Gate gate,
      Outcomes outcomes,
      BooleanSupplier stopping) {
    this.workload = workload;
    this.handlers = handlers;
    this.store = store;
    this.gate = gate;
    this.stopping = stopping;
    this.outcomes = outcomes;
    this.recovery =
        new Recovery(
            workload,
            handlers,
            store,
            listener,
            outcomes,
            new Losses(workload.endpoint(), store),
            stopping);
    this.pace = ThreadLocal.withInitial(() -> new Pace(workload.transactionSize()));
  }

  /** Stores and handles in parts, each a transaction that is short however slow handlers are. */
  @Override
  public Stored store(List<Arrival> batch) {
    List<Receipt> receipts = new ArrayList<>(batch.size());
    List<Result> results = new ArrayList<>(batch.size());
    for (int from = 0; from < batch.size(); ) {
      int to = Math.min(batch.size(), from + pace.get().batch());
      storePart(batch.subList(from, to), receipts, results);
      from = to;
    }
    return new Stored(receipts, () -> outcomes.tell(results));
  }

  private void storePart(List<Arrival> part, List<Receipt> receipts, List<Result> results) {
    try (Gate.Pass pass = stopping.getAsBoolean() ? null : gate.enter()) {
      if (pass != null && pass.limit() >= part.size()) {
        handlePart(part, pass, receipts, results);
        return;
      }
    } catch (BrokenBatchException e) {
      recovery.charge(e);
    } catch (StoreUnavailableException e) {
      if (store.faultOf(e) != Fault.TIMED_OUT) {
        throw e;
      }
      gaveUp(e);
    } catch (Throwable e) { // the message is stored below whatever a handler does
      gaveUp(e);
    }
    receipts.addAll(store.receive(workload.endpoint(), part));
  }

  private void gaveUp(Throwable e) {
    outcomes.notInline(e);
    pace.get().gaveUp(store.faultOf(e) == Fault.MESSAGE);
  }

  private void handlePart(
      List<Arrival> part, Gate.Pass pass, List<Receipt> receipts, List<Result> results) {
    try (WorkTransaction transaction = store.begin(workload.endpoint())) {
      List<Receipt> received = transaction.receive(part);
      List<StoredMessage> messages = transaction.claimReceived(pass.types());
      pass.claimed(messages);
      long begin = System.nanoTime();
      Batch.of(workload, handlers, store, transaction, messages, stopping)
          .checked(pace.get().isWary())
          .run(
              pace.get().segment(),
              handled -> {
                Duration time = Duration.ofNanos(System.nanoTime() - begin);
                transaction.commit(Result.outcomes(handled));
                pace.get().took(part.size(), time, Result.anyFailed(handled));
                outcomes.report(handled);
                receipts.addAll(received);
                results.addAll(handled);
              });
    }
  }
}
