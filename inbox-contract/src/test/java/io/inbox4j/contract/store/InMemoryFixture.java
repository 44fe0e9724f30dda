package io.inbox4j.contract.store;

import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** Stores in memory, on a clock that moves when they are to age. */
final class InMemoryFixture implements StoreFixture {

  private final AgeingClock clock = new AgeingClock();
  private final InMemoryInboxStore store = InMemoryInboxStore.create(clock);

  @Override
  public InboxStore newStore() {
    return store.sibling();
  }

  @Override
  public void effect(WorkTransaction transaction, String name) {
    transaction.unwrap(InMemoryTransaction.class).record(name);
  }

  @Override
  public Write writeOf(String name) {
    return new Write(name, List.of());
  }

  @Override
  public List<String> effects() {
    return store.effects();
  }

  @Override
  public Object transactionOf(WorkTransaction transaction) {
    return transaction.unwrap(InMemoryTransaction.class);
  }

  @Override
  public void failAndSwallow(WorkTransaction transaction) {
    transaction.unwrap(InMemoryTransaction.class).abort();
  }

  @Override
  public void violateDeferred(WorkTransaction transaction) {
    transaction
        .unwrap(InMemoryTransaction.class)
        .failAtCommit(new IllegalStateException("a constraint is violated"));
  }

  @Override
  public void end(WorkTransaction transaction) {
    transaction.unwrap(InMemoryTransaction.class).end();
  }

  @Override
  public void lose(WorkTransaction transaction) {
    transaction.unwrap(InMemoryTransaction.class).lose();
  }

  @Override
  public void age(Duration time) {
    clock.ahead = clock.ahead.plus(time);
  }

  /** The system's clock, ahead of it by some time. */
  private static final class AgeingClock extends Clock {

    private volatile Duration ahead = Duration.ZERO;

    @Override
    public Instant instant() {
      return Clock.systemUTC().instant().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
