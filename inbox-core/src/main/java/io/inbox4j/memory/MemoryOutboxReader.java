package io.inbox4j.memory;

import io.inbox4j.store.OutboxReader;
import java.util.List;

/** Reads on from where it was. */
final class MemoryOutboxReader implements OutboxReader {

  private final MemoryTables tables;
  private long position;

  MemoryOutboxReader(MemoryTables tables) {
    this.tables = tables;
  }

  @Override
  public List<Entry> next(int limit, long bytes) {
    List<Entry> next = tables.locked(() -> tables.outbox.after(position, limit, bytes));
    if (!next.isEmpty()) {
      position = next.get(next.size() - 1).sequence();
    }
    return next;
  }

  @Override
  public void settle(List<Long> sent, List<Undeliverable> dead) {
    tables.locked(
        () -> {
          tables.outbox.settle(sent, dead);
          return true;
        });
  }

  @Override
  public void startOver() {
    position = 0;
  }

  @Override
  public int releaseDue() {
    return tables.locked(() -> tables.outbox.release(tables.now()));
  }

  @Override
  public void close() {}
}
