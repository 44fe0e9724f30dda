package io.inbox4j.contract.store;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
import java.util.List;

/** What the contract needs from a store beyond its port: several of it, effects, and faults. */
public interface StoreFixture {

  /** A store that nobody else has, opened, on the same data as all others of this fixture. */
  InboxStore newStore();

  /** Has an effect in the transaction. */
  void effect(WorkTransaction transaction, String name);

  /** The effects that were committed, in any order. */
  List<String> effects();

  /** Lets a statement fail in the transaction, and swallows its error. */
  void failAndSwallow(WorkTransaction transaction);

  /** Ends the transaction from outside, as a crash or a lost connection would. */
  void lose(WorkTransaction transaction);
}
