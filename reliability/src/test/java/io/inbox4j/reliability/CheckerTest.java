package io.inbox4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.reliability.history.Checker;
import io.inbox4j.reliability.history.Effect;
import io.inbox4j.reliability.history.History;
import io.inbox4j.reliability.history.Kept;
import io.inbox4j.reliability.history.Publish;
import io.inbox4j.reliability.history.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CheckerTest {

  private static final Instant NOW = Instant.EPOCH;

  private final List<Publish> published = new ArrayList<>();
  private final List<Effect> effects = new ArrayList<>();
  private final List<Kept> dead = new ArrayList<>();
  private final List<Kept> quarantined = new ArrayList<>();
  private final List<Kept> pending = new ArrayList<>();
  private final List<Kept> deadLettered = new ArrayList<>();

  @Test
  void nothingIsFoundWhereEveryMessageIsHandledOnceOrKept() {
    publish("q", 1, true);
    publish("q", 2, true);
    publish("q", 3, true);
    publish("other", 1, true);
    handle("q", 1);
    handle("other", 1);
    dead.add(kept("q", 2));
    quarantined.add(kept("q", 3));
    assertThat(verdict().isClean()).isTrue();
  }

  @Test
  void aConfirmedMessageThatIsNowhereIsLost() {
    publish("q", 1, true);
    assertThat(verdict().lost())
        .singleElement()
        .asString()
        .contains(id(1).toString(), "published at 1970-01-01T00:00:00Z");
  }

  @Test
  void aMessageThatWasNeverConfirmedMayBeMissingOrThere() {
    publish("q", 1, false);
    publish("q", 2, false);
    handle("q", 2);
    assertThat(verdict().isClean()).isTrue();
  }

  @Test
  void aMessageOfAnotherQueueDoesNotMakeUpForIt() {
    publish("q", 1, true);
    publish("other", 1, true);
    handle("q", 1);
    assertThat(verdict().lost()).singleElement().asString().contains("other");
  }

  @Test
  void aSecondEffectIsADoubledMessage() {
    publish("q", 1, true);
    handle("q", 1);
    handle("q", 1);
    assertThat(verdict().doubled()).singleElement().asString().contains("2 times");
  }

  @Test
  void anEffectThatNobodyPublishedIsUnexpected() {
    handle("q", 1);
    assertThat(verdict().unexpected()).hasSize(1);
  }

  @Test
  void anEffectOfAnotherBodyIsUnexpected() {
    publish("q", 1, true);
    effects.add(new Effect(1, "q", id(1), "key", 1, "another digest", NOW));
    assertThat(verdict().unexpected()).singleElement().asString().contains("another body");
  }

  @Test
  void aDeadMessageThatNobodyPublishedIsUnexpected() {
    dead.add(kept("q", 1));
    assertThat(verdict().unexpected()).hasSize(1);
  }

  @Test
  void aMessageThatIsHandledAndDeadIsFound() {
    publish("q", 1, true);
    handle("q", 1);
    dead.add(kept("q", 1));
    assertThat(verdict().handledAndKept()).hasSize(1);
  }

  @Test
  void aStepBackIsOutOfOrderAndAGapIsNot() {
    for (int step = 1; step <= 4; step++) {
      publish("q", step, true);
    }
    handle("q", 1);
    handle("q", 4);
    handle("q", 3);
    dead.add(kept("q", 2));
    assertThat(verdict().outOfOrder())
        .singleElement()
        .asString()
        .contains("step 3 at ", " after step 4 at ");
  }

  @Test
  void whatTheBrokerGaveUpOnIsFoundUnlessItWasHandledBefore() {
    publish("q", 1, true);
    publish("q", 2, false);
    handle("q", 1);
    deadLettered.add(kept("q", 1));
    deadLettered.add(kept("q", 2));
    assertThat(verdict().deadLettered()).singleElement().asString().contains(id(2).toString());
  }

  @Test
  void whatStillWaitsIsStuckAndNotLost() {
    publish("q", 1, true);
    pending.add(kept("q", 1));
    assertThat(verdict().stuck()).hasSize(1);
    assertThat(verdict().lost()).isEmpty();
  }

  private Verdict verdict() {
    return Checker.check(new History(published, effects, dead, quarantined, pending, deadLettered));
  }

  private void publish(String endpoint, int step, boolean confirmed) {
    published.add(new Publish(endpoint, id(step), "key", step, "digest " + step, confirmed, NOW));
  }

  private void handle(String endpoint, int step) {
    effects.add(new Effect(effects.size(), endpoint, id(step), "key", step, "digest " + step, NOW));
  }

  private static Kept kept(String endpoint, int step) {
    return new Kept(endpoint, id(step).toString(), "why");
  }

  private static UUID id(int n) {
    return new UUID(0, n);
  }
}
