package io.inbox4j.jdbi.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.OutboxReader.Entry;
import io.inbox4j.transport.OutgoingMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a model of a database, which does something else before and during every statement. */
class OutboxCursorTest {

  private static final long BYTES = 1_000;

  /** A row as the model has it. */
  private record Row(long writer, String key, int size) {}

  /** What PostgreSQL does about ids, snapshots, sequences and locks. */
  private static class Model {

    final TreeMap<Long, Row> rows = new TreeMap<>();
    final Set<Long> open = new HashSet<>();
    final Set<Long> committed = new HashSet<>();
    final Map<String, Long> locks = new HashMap<>();
    long nextId = 100;
    long lastEnded = 99;
    long nextSequence = 1;
    String server = "one";

    long begin() {
      open.add(nextId);
      return nextId++;
    }

    void write(long writer, String key, int size) {
      if (key.isEmpty() || locks.getOrDefault(key, writer) == writer) {
        locks.put(key, writer);
        rows.put(nextSequence++, new Row(writer, key, size));
      }
    }

    void end(long transaction, boolean commit) {
      if (commit) {
        committed.add(transaction);
      }
      open.remove(transaction);
      lastEnded = Math.max(lastEnded, transaction);
      locks.values().removeIf(holder -> holder == transaction);
    }

    TransactionSnapshot snapshot() {
      TreeSet<Long> inProgress = new TreeSet<>(open);
      inProgress.removeIf(id -> id > lastEnded);
      return new TransactionSnapshot(lastEnded + 1, inProgress);
    }

    /** Something that happens while a statement is executed. */
    void meanwhile() {}

    private OutboxPage page(
        TransactionSnapshot snapshot,
        Set<Long> visible,
        List<LateCommits.Gap> ranges,
        int limit,
        long bytes) {
      List<Entry> entries = new ArrayList<>();
      int seen = 0;
      long size = 0;
      for (Map.Entry<Long, Row> row : rows.entrySet()) {
        long sequence = row.getKey();
        if (seen < limit
            && visible.contains(row.getValue().writer)
            && ranges.stream().anyMatch(it -> it.first() <= sequence && sequence <= it.last())) {
          seen++;
          size += row.getValue().size;
          if (seen == 1 || size <= bytes) {
            entries.add(new Entry(sequence, message(row.getValue().size)));
          }
        }
      }
      meanwhile();
      long next = 0;
      if (seen > 0) {
        next = begin();
        end(next, true);
      }
      return new OutboxPage(entries, seen, snapshot, next, server);
    }

    /** What a transaction reads that has one snapshot. */
    OutboxCursor.Pages pages(int limit, long bytes) {
      meanwhile();
      TransactionSnapshot snapshot = snapshot();
      Set<Long> visible = Set.copyOf(committed);
      return new OutboxCursor.Pages() {
        @Override
        public OutboxPage after(long sequence) {
          List<LateCommits.Gap> rest = List.of(new LateCommits.Gap(sequence + 1, Long.MAX_VALUE));
          return page(snapshot, visible, rest, limit, bytes);
        }

        @Override
        public OutboxPage in(List<LateCommits.Gap> gaps) {
          return page(snapshot, visible, gaps, limit, bytes);
        }
      };
    }

    List<Long> next(OutboxCursor reader, int limit) {
      Optional<List<Entry>> next = Optional.empty();
      while (next.isEmpty()) {
        next = reader.take(reader.read(pages(limit, BYTES)), limit, BYTES);
      }
      return OutboxPage.sequences(next.get());
    }
  }

  /** A model in which others write, commit and roll back at random. */
  private static final class Busy extends Model {

    private final Random random;
    private final Set<Long> patient = new HashSet<>();
    boolean calm;

    Busy(Random random) {
      this.random = random;
    }

    @Override
    void meanwhile() {
      for (int i = random.nextInt(6); i > 0 && !calm; i--) {
        step();
      }
    }

    private void step() {
      List<Long> writers = List.copyOf(open);
      int what = random.nextInt(10);
      if (writers.isEmpty() || (what == 0 && writers.size() < 12)) {
        long begun = begin();
        if (random.nextInt(8) == 0) {
          patient.add(begun);
        }
        return;
      }
      long writer = writers.get(random.nextInt(writers.size()));
      if (what < 7) {
        for (int i = random.nextInt(4); i >= 0; i--) {
          write(writer, random.nextBoolean() ? "" : "key" + random.nextInt(3), random.nextInt(300));
        }
      } else if (!patient.contains(writer) || random.nextInt(50) == 0) {
        end(writer, random.nextInt(4) > 0);
      }
    }

    void endAll() {
      List.copyOf(open).forEach(writer -> end(writer, random.nextBoolean()));
      calm = true;
    }
  }

  private static OutgoingMessage message(int size) {
    return new OutgoingMessage(
        new UUID(0, 0),
        new OutgoingMessage.Topic("t"),
        "t",
        "t",
        new byte[size],
        Map.of(),
        null,
        null,
        null,
        null,
        null);
  }

  private final OutboxCursor cursor = new OutboxCursor();

  private List<Long> next(Model model, int limit) {
    return model.next(cursor, limit);
  }

  private void settle(Model model, List<Long> sequences) {
    sequences.forEach(model.rows::remove);
    cursor.settled(sequences);
  }

  /**
   * Every message is returned once, and those of a key, or of a transaction, in the order of their
   * sequences.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1_000})
  void whoeverWritesWhileItReadsNothingIsSkippedAndNothingReturnedTwice(int limit) {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      Busy model = new Busy(random);
      OutboxCursor reader = new OutboxCursor();
      List<Long> returned = new ArrayList<>();
      Map<Long, Row> written = new HashMap<>();
      List<Long> inFlight = new ArrayList<>();
      int idle = 0;
      for (int i = 0; idle < 3; i++) {
        if (i == 60) {
          model.endAll();
        }
        List<Long> next = model.next(reader, limit);
        assertThat(next.size()).isLessThanOrEqualTo(limit);
        assertThat(next).isSorted();
        returned.addAll(next);
        inFlight.addAll(next);
        written.putAll(model.rows);
        if (random.nextInt(3) == 0) {
          List<Long> settled = inFlight.stream().filter(it -> random.nextInt(4) > 0).toList();
          settled.forEach(model.rows::remove);
          reader.settled(settled);
          inFlight.removeAll(settled);
        }
        idle = model.calm && next.isEmpty() ? idle + 1 : 0;
      }
      assertThat(returned).as("seed %d", seed).doesNotHaveDuplicates();
      assertThat(returned)
          .as("seed %d", seed)
          .hasSameElementsAs(
              written.keySet().stream()
                  .filter(it -> model.committed.contains(written.get(it).writer))
                  .toList());
      for (int key = 0; key < 3; key++) {
        String name = "key" + key;
        assertThat(returned.stream().filter(it -> written.get(it).key.equals(name)))
            .as("seed %d, %s", seed, name)
            .isSorted();
      }
      Map<Long, List<Long>> byTransaction =
          returned.stream().collect(Collectors.groupingBy(it -> written.get(it).writer));
      assertThat(byTransaction.values())
          .as("seed %d", seed)
          .allMatch(theirs -> theirs.equals(theirs.stream().sorted().toList()));
      assertThat(reader.gaps()).as("seed %d", seed).isZero();
    }
  }

  @Test
  void aMessageThatAppearsLateIsReturnedBeforeWhatComesNext() {
    Model model = new Model();
    long late = model.begin();
    model.write(late, "", 10);
    long early = model.begin();
    model.write(early, "", 10);
    model.end(early, true);
    assertThat(next(model, 10)).containsExactly(2L);
    model.end(late, true);
    long last = model.begin();
    model.write(last, "", 10);
    model.end(last, true);
    assertThat(next(model, 10)).containsExactly(1L, 3L);
    assertThat(next(model, 10)).isEmpty();
  }

  @Test
  void aLargeMessageIsReturnedAloneAlsoWhileGapsAreLookedAt() {
    Model model = new Model();
    long open = model.begin();
    model.write(open, "", 10);
    long writer = model.begin();
    model.write(writer, "", 10);
    model.write(writer, "", 5_000);
    model.end(writer, true);
    assertThat(next(model, 10)).containsExactly(2L);
    model.end(open, false);
    assertThat(next(model, 10)).containsExactly(3L);
  }

  @Test
  void startingOverReturnsWhatWasNotSettled() {
    Model model = new Model();
    long writer = model.begin();
    for (int i = 0; i < 4; i++) {
      model.write(writer, "", 10);
    }
    model.end(writer, true);
    assertThat(next(model, 10)).hasSize(4);
    settle(model, List.of(2L, 3L));
    cursor.startOver();
    assertThat(next(model, 10)).containsExactly(1L, 4L);
  }

  /** After a failover sequences are given out again that it has passed, or that are in flight. */
  @Test
  void onAnotherServerItBeginsAnewOnceNothingIsInFlight() {
    Model model = new Model();
    long writer = model.begin();
    for (int i = 0; i < 4; i++) {
      model.write(writer, "", 10);
    }
    model.end(writer, true);
    assertThat(next(model, 10)).hasSize(4);
    settle(model, List.of(1L, 2L, 3L));
    model.server = "another";
    model.nextSequence = 2;
    model.write(writer, "", 10);
    assertThat(next(model, 10)).as("4 may be another message now").isEmpty();
    cursor.settled(List.of(4L));
    assertThat(next(model, 10)).containsExactly(2L, 4L);
  }
}
