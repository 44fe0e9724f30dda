package io.inbox4j.internal.process;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.run.HandledMessage;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A batch that is stored in parts, perhaps by several threads, and what has become of its
 * deliveries.
 *
 * <p>What may be stored at once are events that are in the batch for the first time. Repeated ones
 * and what is to be quarantined come after all of these: transactions that insert the same keys
 * would wait for each other, and the first of several bodies with the same id is the one that
 * counts.
 */
final class InlineBatch {

  private final List<ValidatedDelivery> batch;

  /** Positions in the batch, in the order in which they are stored. */
  private final List<Integer> order;

  private final int independent;
  private final StoreResult[] receipts;
  private final List<HandledMessage> results = new ArrayList<>();
  private final Deque<Part> putBack = new ArrayDeque<>();
  private int next;
  private int end;
  private @Nullable Throwable failure;

  /** Some deliveries of the batch, and their positions in it. */
  record Part(List<ValidatedDelivery> deliveries, List<Integer> positions) {}

  /**
   * @param inOrder whether all parts are stored one after the other, in order of arrival
   */
  InlineBatch(List<ValidatedDelivery> batch, boolean inOrder) {
    this.batch = batch;
    this.receipts = new StoreResult[batch.size()];
    this.order = new ArrayList<>(batch.size());
    List<Integer> dependent = new ArrayList<>();
    Set<UUID> seen = new HashSet<>();
    for (int i = 0; i < batch.size(); i++) {
      boolean isNew =
          inOrder
              || (batch.get(i) instanceof ValidatedDelivery.Event event
                  && seen.add(event.messageId()));
      (isNew ? order : dependent).add(i);
    }
    this.independent = order.size();
    this.end = independent;
    order.addAll(dependent);
  }

  /** How many of the deliveries may be stored at once; they come first. */
  int independent() {
    return independent;
  }

  /** Allows the deliveries after the independent ones to be stored. */
  synchronized void allowTheRest() {
    end = order.size();
  }

  /**
   * Takes the next deliveries to be stored, or null if there are none now.
   *
   * @param most how many at most
   */
  synchronized @Nullable Part next(int most) {
    if (failure != null) {
      return null;
    }
    if (!putBack.isEmpty()) {
      return putBack.remove();
    }
    if (next == end) {
      return null;
    }
    List<Integer> positions = order.subList(next, Math.min(end, next + most));
    next += positions.size();
    return new Part(positions.stream().map(batch::get).toList(), positions);
  }

  /** Leaves a part to somebody else, who takes it next. */
  synchronized void putBack(Part part) {
    putBack.add(part);
  }

  /** Records that a part is stored, and the outcomes of what was handled with it. */
  synchronized void stored(Part part, List<StoreResult> received, List<HandledMessage> handled) {
    for (int i = 0; i < received.size(); i++) {
      receipts[part.positions().get(i)] = received.get(i);
    }
    results.addAll(handled);
  }

  /** Records that a part could not be stored: no other part is begun. */
  synchronized void failed(Throwable e) {
    if (failure == null) {
      failure = e;
    } else if (failure != e) {
      failure.addSuppressed(e);
    }
  }

  /** Throws the failure of the first part that could not be stored, if there is one. */
  synchronized void check() {
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    if (failure != null) { // a driver can throw anything
      throw new InboxException("a part of a batch could not be stored", failure);
    }
  }

  /** The result of each delivery, in the order of the batch, once all are stored. */
  synchronized List<StoreResult> receipts() {
    return Arrays.asList(receipts);
  }

  synchronized List<HandledMessage> results() {
    return results;
  }
}
