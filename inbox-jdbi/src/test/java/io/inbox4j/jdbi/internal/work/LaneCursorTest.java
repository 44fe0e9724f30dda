package io.inbox4j.jdbi.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LaneCursorTest {

  private long now;
  private final LaneCursor cursor = new LaneCursor(() -> now);

  private void after(Duration time) {
    now += time.toNanos();
  }

  private LaneCursor.Look look(Duration time, Integer... found) {
    LaneCursor.Look look = cursor.look();
    cursor.looked(look, Set.of(found), time);
    cursor.ended(look);
    return look;
  }

  private LaneCursor.Look look(Integer... found) {
    return look(LaneCursor.QUICK.dividedBy(2), found);
  }

  @Test
  void aQuickLookGlancesAtEverythingUnlessThatTakesLong() {
    assertThat(look(Duration.ofMillis(10), 3).glances()).isTrue();
    assertThat(look(3).glances()).isFalse();
    after(Duration.ofMillis(500));
    assertThat(look(3).glances()).as("after a rest").isTrue();
  }

  @Test
  void aLookEverywhereMissesNoLane() {
    look(3);
    assertThat(cursor.lookEverywhere().lanes()).hasSize(LaneCursor.LANES);
  }

  @Test
  void onceASecondItLooksFromTheBeginningOfAllLanes() {
    cursor.passed(5, 100);
    after(LaneCursor.MIN_RESCAN_INTERVAL);
    LaneCursor.Look look = look(5);
    assertThat(look.rescans()).isTrue();
    assertThat(look.lanes()).hasSize(LaneCursor.LANES);
    assertThat(look.after()[5]).isZero();
    assertThat(look(5).rescans()).isFalse();
  }

  @Test
  void whereAGlanceShowsThatThereIsNothingNoLaneIsLookedInto() {
    look();
    after(LaneCursor.MIN_RESCAN_INTERVAL);
    assertThat(look().rescans()).isFalse();
    after(LaneCursor.MIN_RESCAN_INTERVAL);
    assertThat(look(3).rescans()).isFalse();
    assertThat(look(3).rescans()).as("once there is something").isTrue();
  }

  @Test
  void whereSomethingWasSeenIsLookedIntoAgain() {
    look(3, 70);
    assertThat(look(3).lanes()).contains(3, 70);
  }

  @Test
  void allLanesHaveTheirTurn() {
    Integer[] all = new Integer[LaneCursor.LANES];
    Arrays.setAll(all, i -> i);
    look(all);
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      LaneCursor.Look look = look(all);
      seen.addAll(look.lanes());
      assertThat(look.lanes().size())
          .isLessThanOrEqualTo(LaneCursor.LIVE_LANES + LaneCursor.OTHER_LANES);
    }
    assertThat(seen).hasSize(LaneCursor.LANES);
  }

  @Test
  void aLookStartsAfterWhatWasPassedOnceWhatIsLateHasHadTheTimeToCommit() {
    cursor.passed(5, 100);
    assertThat(look(5).after()[5]).isZero();
    after(LaneCursor.OVERLAP);
    assertThat(look(5).after()[5]).isEqualTo(100);
  }

  @Test
  void aLaneOfWhichSomethingIsPassedAllTheTimeIsFollowed() {
    for (int i = 1; i <= 100; i++) {
      cursor.passed(5, i);
      after(LaneCursor.OVERLAP.dividedBy(10));
    }
    assertThat(look(5).rescans()).isTrue();
    assertThat(look(5).after()[5]).isBetween(70L, 100L);
  }

  @Test
  void whatComesBackIsLookedAt() {
    cursor.passed(5, 100);
    after(LaneCursor.OVERLAP);
    assertThat(look(5).after()[5]).isEqualTo(100);
    cursor.startAgain(5, 41);
    after(LaneCursor.OVERLAP);
    assertThat(look(5).after()[5]).isEqualTo(41);
  }

  @Test
  void rescansThatTakeLongAreRare() {
    after(LaneCursor.MIN_RESCAN_INTERVAL);
    assertThat(look(Duration.ofSeconds(1), 5).rescans()).isTrue();
    after(Duration.ofSeconds(29));
    assertThat(look(5).rescans()).isFalse();
    after(Duration.ofSeconds(1));
    assertThat(look(5).rescans()).isTrue();
  }

  @Test
  void onlyOneRescansAtATime() {
    after(LaneCursor.MIN_RESCAN_INTERVAL);
    LaneCursor.Look first = cursor.look();
    assertThat(first.rescans()).isTrue();
    assertThat(cursor.look().rescans()).isFalse();
    cursor.ended(first);
    after(LaneCursor.MAX_RESCAN_INTERVAL);
    assertThat(cursor.look().rescans()).as("the first one failed").isTrue();
  }

  @Test
  void fewLanesAreLockedWhileClaimsAreFullAndManyWhileTheyAreNot() {
    cursor.claimed(true, 1);
    assertThat(look(5).locks()).isEqualTo(1);
    cursor.claimed(false, 1);
    cursor.claimed(false, 2);
    assertThat(look(5).locks()).isEqualTo(4);
    cursor.claimed(true, 3);
    assertThat(look(5).locks()).as("as many as were of use").isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      cursor.claimed(false, 3);
    }
    assertThat(look(5).locks()).isEqualTo(LaneCursor.MAX_LOCKED);
  }
}
