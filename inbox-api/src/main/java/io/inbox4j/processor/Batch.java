package io.inbox4j.processor;

import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventReader;
import io.inbox4j.event.KnownType;
import io.inbox4j.store.Fault;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Runs the handlers of claimed messages in one transaction.
 *
 * <p>Messages run in segments. While all goes well a segment costs one savepoint, however long it
 * is. When a message fails, its segment is undone; what came before it in the segment runs again as
 * a segment of its own, the message is set down as failed, and the rest goes on. So a failure costs
 * its neighbours a repetition, never their outcome, and the claims are held throughout.
 *
 * <p>Messages that follow a failed one with the same ordering key get no outcome: they are free
 * again after the commit, and wait behind it.
 */
final class Batch {

  private final Workload workload;
  private final HandlerChain handlers;
  private final EventReader reader;
  private final InboxStore store;
  private final WorkTransaction transaction;
  private final List<StoredMessage> messages;
  private final BooleanSupplier stopping;
  private final List<Result> results;
  private final Set<String> heldKeys = new HashSet<>();

  Batch(
      Workload workload,
      EventReader reader,
      InboxStore store,
      WorkTransaction transaction,
      List<StoredMessage> messages,
      BooleanSupplier stopping) {
    this.workload = workload;
    this.handlers = workload.handlers();
    this.reader = reader;
    this.store = store;
    this.transaction = transaction;
    this.messages = messages;
    this.stopping = stopping;
    this.results = new ArrayList<>(messages.size());
  }

  /**
   * Runs all messages and returns what became of each.
   *
   * @throws AbandonedException if the infrastructure failed, or the worker was interrupted to stop
   */
  List<Result> run(int segment) {
    for (int from = 0; from < messages.size(); ) {
      int to = (int) Math.min(messages.size(), (long) from + segment);
      runSegment(from, to);
      from = to;
    }
    return results;
  }

  private void runSegment(int from, int to) {
    if (from == to) {
      return;
    }
    transaction.mark();
    int at = from;
    try {
      for (; at < to; at++) {
        if (!isHeldBack(messages.get(at))) {
          handle(messages.get(at));
        }
      }
      transaction.keep();
      succeeded(from, to);
    } catch (Throwable failure) { // a handler may throw anything, and it is set down
      undo(failure);
      runAround(from, at, to, failure);
    }
  }

  /** If it cannot be undone the transaction is gone: that is not the message's fault. */
  private void undo(Throwable failure) {
    try {
      transaction.undo();
    } catch (RuntimeException e) {
      e.addSuppressed(failure);
      if (store.faultOf(failure) != Fault.MESSAGE) {
        throw new AbandonedException("the batch was given up", failure);
      }
      throw e;
    }
  }

  /**
   * Runs an undone segment again, without the message that failed.
   *
   * <p>The transaction is still there. So a failure that looks like the infrastructure's is that of
   * another database that the handler uses, and the message's own.
   */
  private void runAround(int from, int at, int to, Throwable failure) {
    Fault fault = store.faultOf(failure);
    boolean interrupted = Thread.interrupted() || failure instanceof InterruptedException;
    if (fault == Fault.CONFLICT || (interrupted && stopping.getAsBoolean())) {
      throw new AbandonedException("the batch was given up", failure);
    }
    if (to - from == 1) {
      failed(messages.get(from), failure);
    } else if (fault == Fault.ABORTED) {
      int middle = (from + to) >>> 1;
      runSegment(from, middle);
      runSegment(middle, to);
    } else {
      runSegment(from, at);
      failed(messages.get(at), failure);
      runSegment(at + 1, to);
    }
  }

  private void handle(StoredMessage message) throws Exception {
    if (Thread.interrupted() && stopping.getAsBoolean()) {
      throw new InterruptedException("the worker is being stopped");
    }
    IntegrationEvent event =
        reader.read(
            message.contentType(), message.body(), known(message.type()), message.messageId());
    MessageContext context =
        new MessageContext(workload.endpoint(), message, message.attempt(), transaction);
    handlers.handle(event, context);
  }

  private KnownType<IntegrationEvent> known(String type) {
    KnownType<IntegrationEvent> known = workload.types().find(type);
    if (known == null) {
      throw new IllegalStateException("claimed a message of the type " + type + " without need");
    }
    return known;
  }

  private void succeeded(int from, int to) {
    for (int i = from; i < to; i++) {
      StoredMessage message = messages.get(i);
      if (!isHeldBack(message)) {
        Outcome outcome = new Outcome.Processed(message.sequence());
        results.add(new Result(message, message.attempt(), outcome, null));
      }
    }
  }

  /** Whether an earlier message of the same key failed in this batch. */
  private boolean isHeldBack(StoredMessage message) {
    return message.orderingKey() != null && heldKeys.contains(message.orderingKey());
  }

  private void failed(StoredMessage message, Throwable failure) {
    if (isHeldBack(message)) {
      return;
    }
    Outcome outcome = workload.outcomeOf(message, failure);
    if (message.orderingKey() != null && workload.holdsKey(outcome)) {
      heldKeys.add(message.orderingKey());
    }
    results.add(new Result(message, message.attempt(), outcome, failure));
  }
}
