package io.inbox4j.jdbi.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.internal.outbox.LateCommits.Gap;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LateCommitsTest {

  private static final long ALL = Long.MAX_VALUE - 1;

  private final LateCommits late = new LateCommits();

  private static TransactionSnapshot at(String snapshot) {
    return TransactionSnapshot.parse(snapshot);
  }

  /** Reads these sequences with a snapshot, and draws an id then. */
  private void read(long after, List<Long> sequences, String snapshot, long id) {
    late.read(after, sequences, OpenTransactions.before(id, at(snapshot)));
  }

  private List<Gap> lookAt(String snapshot, Long... found) {
    List<Gap> due = late.toLookAt(at(snapshot));
    late.lookedAt(at(snapshot), List.of(found), ALL);
    return due;
  }

  @Test
  void aSnapshotIsReadAsPostgresWritesIt() {
    assertThat(at("10:20:10,14").isInProgress(10)).isTrue();
    assertThat(at("10:20:10,14").isInProgress(11)).isFalse();
    assertThat(at("10:20:10,14").isInProgress(20)).isTrue();
    assertThat(at("10:10:").inProgress()).isEmpty();
  }

  @Test
  void whereNothingIsMissingThereIsNoGap() {
    read(4, List.of(5L, 6L, 7L), "10:20:10,14", 21);
    assertThat(late.size()).isZero();
  }

  @Test
  void aGapThatNobodyCanFillIsForgotten() {
    read(0, List.of(5L, 7L), "20:20:", 20);
    assertThat(late.size()).isZero();
  }

  @Test
  void aGapIsLookedAtWhenATransactionHasEndedThatWasInProgress() {
    read(0, List.of(2L, 5L), "10:20:10,14", 20);
    assertThat(lookAt("10:30:10,14")).isEmpty();
    assertThat(lookAt("10:30:10", 3L)).containsExactly(new Gap(1, 1), new Gap(3, 4));
    assertThat(lookAt("10:40:10")).as("nothing has ended since").isEmpty();
    assertThat(lookAt("40:40:")).containsExactly(new Gap(1, 1), new Gap(4, 4));
    assertThat(late.size()).isZero();
  }

  /** A snapshot does not list those that began after the last one that has ended. */
  @Test
  void aGapIsLookedAtForTransactionsBeyondTheSnapshotToo() {
    read(0, List.of(2L), "20:20:", 23);
    assertThat(lookAt("20:20:")).isEmpty();
    assertThat(lookAt("20:24:20,22")).as("21 has ended").containsExactly(new Gap(1, 1));
    assertThat(lookAt("20:30:20,22")).isEmpty();
    assertThat(lookAt("20:30:20")).containsExactly(new Gap(1, 1));
    assertThat(lookAt("30:30:")).containsExactly(new Gap(1, 1));
    assertThat(late.size()).isZero();
  }

  @Test
  void transactionsThatBeganLaterDoNotMatter() {
    read(0, List.of(2L), "20:20:", 21);
    assertThat(lookAt("20:30:20,25")).isEmpty();
    assertThat(lookAt("20:30:20")).isEmpty();
    assertThat(lookAt("21:30:25")).hasSize(1);
    assertThat(late.size()).isZero();
  }

  @Test
  void theRestOfWhatWasLookedAtStays() {
    read(0, List.of(10L), "10:20:10", 20);
    TransactionSnapshot ended = at("20:20:");
    late.lookedAt(ended, List.of(2L, 4L), 4);
    assertThat(late.toLookAt(ended)).containsExactly(new Gap(5, 9));
    late.lookedAt(ended, List.of(), ALL);
    assertThat(late.size()).isZero();
  }

  @Test
  void gapsThatWaitForTheSameTransactionsAreFewToCompare() {
    for (long n = 0; n < 1_000; n++) {
      read(n * 2, List.of(n * 2 + 2), "10:%d:10,%d".formatted(100 + n, 99 + n), 100 + n);
      lookAt("10:%d:10".formatted(100 + n));
    }
    assertThat(late.size()).isEqualTo(1_000);
    assertThat(lookAt("2000:2000:")).hasSize(1_000);
    assertThat(late.size()).isZero();
  }

  @Test
  void veryManyGapsAreMergedWithWhatIsBetweenThem() {
    int count = 3 * LateCommits.MAX_GAPS;
    for (long n = 0; n < count; n++) {
      read(n * 2, List.of(n * 2 + 2), "10:20:10", 20);
    }
    assertThat(late.size()).isLessThanOrEqualTo(LateCommits.MAX_GAPS);
    List<Gap> due = late.toLookAt(at("20:20:"));
    assertThat(LongStream.range(0, count).map(n -> n * 2 + 1))
        .allSatisfy(n -> assertThat(contains(due, n)).isTrue());
    assertThat(due.get(due.size() - 1).last()).isLessThan(2L * count);
  }

  private static boolean contains(List<Gap> gaps, long sequence) {
    int low = 0;
    int high = gaps.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) / 2;
      if (gaps.get(middle).first() <= sequence) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return gaps.get(low).first() <= sequence && sequence <= gaps.get(low).last();
  }

  @Test
  void veryManyGroupsAreMergedAndWaitForAllOfTheirs() {
    int count = 3 * LateCommits.MAX_GROUPS;
    for (long n = 0; n < count; n++) {
      read(n * 2, List.of(n * 2 + 2), "%d:%d:%d".formatted(100 + n, 1_000 + n, 100 + n), 1_000 + n);
    }
    assertThat(late.size()).isEqualTo(count);
    assertThat(lookAt("100:2000:100")).as("some of them for others").hasSize(count);
    assertThat(lookAt("100:3000:100")).isEmpty();
    assertThat(lookAt("2000:2000:")).contains(new Gap(1, 1));
    assertThat(late.size()).isZero();
  }
}
