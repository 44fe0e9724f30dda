package io.inbox4j.internal.process;

import io.inbox4j.internal.limit.AdaptiveBatchSize;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.receive.DeliveryWriter;
import io.inbox4j.internal.recover.OrphanRecovery;
import io.inbox4j.internal.run.BatchRunner;
import io.inbox4j.internal.run.BrokenBatchException;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.internal.run.TransactionLosses;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A writer that handles messages in the transaction that stores them.
 *
 * <p>If a handler fails, its effect is rolled back and its message is left to the processor. So is
 * every message that must not run here: one that was redelivered, because it may have crashed the
 * process; one that has to wait for an earlier message of its key; and all of them while the
 * endpoint is paused or its circuit is open, or the inbox is being closed.
 *
 * <p>Thread-safe: may be used by several consumers concurrently.
 */
final class InlineWriter implements DeliveryWriter {

  private final WorkerContext context;
  private final OrphanRecovery recovery;
  private final BooleanSupplier stopping;
  private final ThreadLocal<AdaptiveBatchSize> batchSizes;

  InlineWriter(WorkerContext context, BooleanSupplier stopping) {
    this.context = context;
    this.stopping = stopping;
    this.recovery =
        new OrphanRecovery(
            context, new TransactionLosses(context.endpoint(), context.store()), stopping);
    this.batchSizes =
        ThreadLocal.withInitial(() -> new AdaptiveBatchSize(context.config().transactionSize()));
  }

  /**
   * Stores and handles the batch in parts, one transaction each, so that transactions stay short
   * however slow the handlers are.
   */
  @Override
  public Stored store(List<ValidatedDelivery> batch) {
    List<StoreResult> receipts = new ArrayList<>(batch.size());
    List<HandledMessage> results = new ArrayList<>(batch.size());
    for (int from = 0; from < batch.size(); ) {
      int to = Math.min(batch.size(), from + batchSizes.get().batch());
      storePart(batch.subList(from, to), receipts, results);
      from = to;
    }
    return new Stored(receipts, () -> context.outcomes().tell(results));
  }

  private void storePart(
      List<ValidatedDelivery> part, List<StoreResult> receipts, List<HandledMessage> results) {
    try (AdmissionControl.Admission admission =
        stopping.getAsBoolean() ? null : context.admissionControl().enter()) {
      if (admission != null && admission.limit() >= part.size()) {
        handlePart(part, admission, receipts, results);
        return;
      }
    } catch (BrokenBatchException e) {
      recovery.charge(e);
    } catch (StoreUnavailableException e) {
      if (context.store().failureKind(e) != FailureKind.TIMED_OUT) {
        throw e;
      }
      gaveUp(e);
    } catch (Throwable e) { // the messages are stored below whatever a handler does
      gaveUp(e);
    }
    receipts.addAll(context.store().receive(context.endpoint(), part));
  }

  private void gaveUp(Throwable e) {
    context.outcomes().notInline(e);
    batchSizes.get().gaveUp(context.store().failureKind(e) == FailureKind.MESSAGE);
  }

  private void handlePart(
      List<ValidatedDelivery> part,
      AdmissionControl.Admission admission,
      List<StoreResult> receipts,
      List<HandledMessage> results) {
    try (WorkTransaction transaction = context.begin()) {
      List<StoreResult> received = transaction.receive(part);
      List<ClaimedMessage> messages = transaction.claimReceived(admission.types());
      admission.claimed(messages);
      long begin = System.nanoTime();
      BatchRunner.of(context, transaction, messages, stopping)
          .checked(batchSizes.get().isWary())
          .run(
              batchSizes.get().segment(),
              handled -> {
                Duration time = Duration.ofNanos(System.nanoTime() - begin);
                transaction.commit(HandledMessage.outcomes(handled));
                batchSizes.get().took(part.size(), time, HandledMessage.anyFailed(handled));
                context.outcomes().report(handled);
                receipts.addAll(received);
                results.addAll(handled);
              });
    }
  }
}
