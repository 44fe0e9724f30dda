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
 * <p>Where no order has to be kept, the parts of a batch are stored and handled by several threads
 * at once, because a transaction spends most of its time waiting for the statements of handlers.
 * The batch is stored when all of its parts are. So the transport has nothing to keep track of:
 * what it may acknowledge is still one whole batch after the other.
 *
 * <p>If a handler fails, its effect is rolled back and its message is left to the processor. So is
 * every message that must not run here: one that was redelivered, because it may have crashed the
 * process; one that has to wait for an earlier message of its key; and all of them while the
 * endpoint is paused or its circuit is open, or the inbox is being closed.
 *
 * <p>Thread-safe: may be used by several consumers concurrently.
 */
final class InlineWriter implements DeliveryWriter {

  /** Fewer messages with fast handlers are not worth a transaction of their own. */
  private static final int MIN_SHARE = 16;

  private final WorkerContext context;
  private final InlineSlots slots;
  private final OrphanRecovery recovery;
  private final BooleanSupplier stopping;
  private final AdaptiveBatchSize batchSizes;

  InlineWriter(WorkerContext context, InlineSlots slots, BooleanSupplier stopping) {
    this.context = context;
    this.slots = slots;
    this.stopping = stopping;
    this.recovery =
        new OrphanRecovery(
            context, new TransactionLosses(context.endpoint(), context.store()), stopping);
    this.batchSizes = new AdaptiveBatchSize(context.config().transactionSize());
  }

  /**
   * Stores and handles the batch in parts, one transaction each, so that transactions stay short
   * however slow the handlers are.
   */
  @Override
  public Stored store(List<ValidatedDelivery> batch) {
    int atOnce = keepsOrder() ? 1 : slots.limit();
    InlineBatch parts = new InlineBatch(batch, atOnce == 1);
    try {
      storeAll(parts, atOnce);
    } catch (Throwable e) { // what is committed all the same is not handled again
      context.outcomes().tell(parts.results());
      throw e;
    }
    return new Stored(parts.receipts(), () -> context.outcomes().tell(parts.results()));
  }

  private void storeAll(InlineBatch parts, int atOnce) {
    int share = Math.max(MIN_SHARE, ceilDiv(parts.independent(), atOnce));
    int threads =
        Math.min(atOnce, ceilDiv(parts.independent(), Math.min(share, batchSizes.batch())));
    if (threads > 1) {
      storeAtOnce(parts, share, threads);
    }
    storeParts(parts, share);
    parts.allowTheRest();
    storeParts(parts, Integer.MAX_VALUE);
  }

  /** Whether messages are stored and handled one after the other, as they arrive. */
  private boolean keepsOrder() {
    return context.config().ordered() || context.config().queue().topology().singleActiveConsumer();
  }

  private static int ceilDiv(int count, int by) {
    return (count + by - 1) / by;
  }

  /** Returns when all threads have ended; an interrupt is passed on to the handlers. */
  private void storeAtOnce(InlineBatch parts, int share, int count) {
    List<Thread> threads = new ArrayList<>(count);
    try {
      for (int i = 1; i <= count; i++) {
        Thread thread =
            new Thread(
                () -> storeOrFail(parts, share), "inbox-inline-" + context.endpoint() + "-" + i);
        thread.start();
        threads.add(thread);
      }
    } catch (Throwable e) { // no thread left, for example: those that there are do it, or this one
      context.outcomes().notInline(e);
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      interrupted |= joinOrInterrupt(thread, threads);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    parts.check();
  }

  private void storeOrFail(InlineBatch parts, int share) {
    try {
      storeParts(parts, share);
    } catch (StoreUnavailableException e) {
      // The pool may have too few connections for all parts: the consumer's thread tries it alone.
    } catch (Throwable e) { // thrown to the consumer
      parts.failed(e);
    }
  }

  /** Waits until the thread has ended; an interrupt meanwhile interrupts all of them. */
  private static boolean joinOrInterrupt(Thread thread, List<Thread> all) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        all.forEach(Thread::interrupt);
      }
    }
    return interrupted;
  }

  private void storeParts(InlineBatch parts, int share) {
    InlineBatch.Part part = parts.next(Math.min(share, batchSizes.batch()));
    while (part != null) {
      try {
        storePart(parts, part);
      } catch (StoreUnavailableException e) {
        parts.putBack(part);
        throw e;
      }
      part = parts.next(Math.min(share, batchSizes.batch()));
    }
  }

  private void storePart(InlineBatch parts, InlineBatch.Part part) {
    if (!slots.take(stopping)) {
      parts.stored(part, context.store().receive(context.endpoint(), part.deliveries()), List.of());
      return;
    }
    try (AdmissionControl.Admission admission =
        stopping.getAsBoolean() ? null : context.admissionControl().enter()) {
      if (admission != null && admission.limit() >= part.deliveries().size()) {
        handlePart(parts, part, admission);
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
    } finally {
      slots.release();
    }
    parts.stored(part, context.store().receive(context.endpoint(), part.deliveries()), List.of());
  }

  private void gaveUp(Throwable e) {
    context.outcomes().notInline(e);
    batchSizes.gaveUp(context.store().failureKind(e) == FailureKind.MESSAGE);
  }

  private void handlePart(
      InlineBatch parts, InlineBatch.Part part, AdmissionControl.Admission admission) {
    try (WorkTransaction transaction = context.begin()) {
      List<StoreResult> received = transaction.receive(part.deliveries());
      List<ClaimedMessage> messages = transaction.claimReceived(admission.types());
      admission.claimed(messages);
      long begin = System.nanoTime();
      BatchRunner.of(context, transaction, messages, stopping)
          .checked(batchSizes.isWary())
          .run(
              batchSizes.segment(),
              handled -> {
                Duration time = Duration.ofNanos(System.nanoTime() - begin);
                transaction.commit(HandledMessage.outcomes(handled));
                batchSizes.took(
                    received.size(),
                    time,
                    transaction.databaseTime(),
                    HandledMessage.anyFailed(handled));
                context.outcomes().report(handled);
                parts.stored(part, received, handled);
              });
    }
  }
}
