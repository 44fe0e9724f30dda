package io.inbox4j.contract.store;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.time.Duration;
import java.util.List;

/**
 * What the contract needs from a store beyond its port: several of it, effects, faults, and time.
 *
 * <p>What it does in a transaction it does as a handler would, by way of {@link
 * WorkTransaction#unwrap}.
 */
public interface StoreFixture {

  /**
   * A new store on the same data as all others of this fixture, as another process would have it.
   * The contract opens and closes it.
   */
  InboxStore newStore();

  /** Has an effect in the transaction, for example inserts a row with this name. */
  void effect(WorkTransaction transaction, String name);

  /** What a handler hands over to have an effect of this name. */
  Write writeOf(String name);

  /** The names of the effects that were committed, in any order; others than the test's, too. */
  List<String> effects();

  /** The transaction as it is passed to {@link InboxStore#publish(Object, java.util.List)}. */
  Object transactionOf(WorkTransaction transaction);

  /** Lets a statement fail in the transaction, and swallows its error, as a careless handler. */
  void failAndSwallow(WorkTransaction transaction);

  /**
   * Breaks a constraint that is not checked before the commit, or {@link WorkTransaction#check}.
   */
  void violateDeferred(WorkTransaction transaction);

  /** Commits the transaction behind the store's back, as a handler can that gets past its guard. */
  void end(WorkTransaction transaction);

  /** Ends the transaction from outside, as a crash of the process or a lost connection would. */
  void lose(WorkTransaction transaction);

  /**
   * Makes what is stored older: when messages were received, processed or discarded, when operators
   * intervened, and when outgoing messages are due. Nothing else has to change.
   */
  void age(Duration time);
}
