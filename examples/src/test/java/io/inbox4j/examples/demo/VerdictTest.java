package io.inbox4j.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerdictTest {

  private static final int GOOD = 1;
  private static final int POISON = 15;

  private final OrderPlan plan = new OrderPlan(1_000);
  private final Map<Integer, Integer> effects = new HashMap<>();
  private final List<Integer> dead = new ArrayList<>(plan.dead());
  private final List<String> quarantined = new ArrayList<>(plan.quarantined());

  @BeforeEach
  void everyOrderEndsAsPlanned() {
    plan.effective().forEach(number -> effects.put(number, 1));
  }

  private Verdict verdict() {
    return Verdict.of(plan, new Verdict.Found(effects, dead, quarantined));
  }

  @Test
  void aRunThatEndsAsPlannedIsRight() {
    assertThat(verdict().holds()).as("%s", verdict()).isTrue();
    assertThat(verdict().toString()).contains("980").doesNotContain("WRONG");
  }

  @Test
  void aLostOrderIsWrong() {
    effects.remove(GOOD);
    assertWrong("lost: orders without an effect", "[1]");
  }

  @Test
  void aDoubledEffectIsWrong() {
    effects.put(GOOD, 2);
    assertWrong("doubled: orders with several effects", "[1]");
  }

  @Test
  void aDoubledEffectDoesNotMakeUpForALostOne() {
    effects.remove(GOOD);
    effects.put(GOOD + 1, 2);
    assertWrong("lost: orders without an effect", "[1]");
    assertWrong("doubled: orders with several effects", "[2]");
  }

  @Test
  void anEffectOfAnOrderThatAlwaysFailsIsWrong() {
    effects.put(POISON, 1);
    assertWrong("effects that must not be there", "[15]");
  }

  @Test
  void aPoisonousOrderThatIsNotDeadIsWrong() {
    dead.remove(Integer.valueOf(POISON));
    assertWrong("dead: the orders that always fail", "[15]");
  }

  @Test
  void aDeadOrderThatShouldLiveIsWrong() {
    effects.remove(GOOD);
    dead.add(GOOD);
    assertWrong("dead: the orders that always fail", "[1]");
  }

  @Test
  void aDeadOrderInThePlaceOfAnotherIsWrong() {
    dead.set(0, GOOD);
    assertWrong("dead: the orders that always fail", "[15, 1]");
  }

  @Test
  void garbageThatChangedInQuarantineIsWrong() {
    quarantined.set(0, "please send me order 7 or 8");
    assertWrong("quarantined: what is no order, byte for byte", "please send me order 7 or 8");
  }

  @Test
  void missingGarbageIsWrong() {
    quarantined.clear();
    assertWrong("quarantined: what is no order, byte for byte", "please send me order 7");
  }

  private void assertWrong(String what, String culprits) {
    assertThat(verdict().holds()).as("%s", verdict()).isFalse();
    assertThat(verdict().toString().lines().filter(line -> line.contains(what)))
        .singleElement()
        .asString()
        .contains("WRONG", culprits);
  }
}
