package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.StoreResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of messages that are processed or discarded. */
abstract class RetentionContract extends ContractPart {

  private static final Retention TWO_DAYS = Retention.days(2);
  private static final Duration THREE_DAYS = Duration.ofDays(3);

  @Test
  void theLongestRetentionThatIsDeclaredHolds() {
    store.declareRetention(List.of(endpoint), TWO_DAYS);
    assertThat(store.declaredRetention()).containsEntry(endpoint, TWO_DAYS);
    another().declareRetention(List.of(endpoint), Retention.days(5));
    assertThat(store.declaredRetention()).containsEntry(endpoint, Retention.days(5));
    another().declareRetention(List.of(endpoint), Retention.forever());
    assertThat(store.declaredRetention()).containsEntry(endpoint, Retention.forever());
  }

  @Test
  void whatWasProcessedLongAgoIsRemovedAndForgotten() {
    receive(2);
    process();
    fixture.age(THREE_DAYS);
    store.receive(endpoint, List.of(event(2)));
    process();
    store.declareRetention(List.of(endpoint), TWO_DAYS);
    assertThat(store.retain(report -> true).ran()).isTrue();
    assertThat(store.receive(endpoint, List.of(event(0), event(1), event(2))))
        .containsExactly(StoreResult.STORED, StoreResult.STORED, StoreResult.DUPLICATE);
  }

  @Test
  void whatIsNotFinishedIsNeverRemoved() {
    receive(2);
    kill("broken");
    store.receive(endpoint, List.of(event(2)));
    retry(Duration.ofDays(30));
    fixture.age(THREE_DAYS);
    retain(TWO_DAYS);
    assertThat(dead()).hasSize(2);
    assertThat(store.listPending(mine(), 10)).hasSize(1);
  }

  @Test
  void whatWasDiscardedLongAgoIsRemovedAsWell() {
    receive(1);
    kill("broken");
    store.discardDead(mine(), BY, 0, 10);
    fixture.age(THREE_DAYS);
    retain(TWO_DAYS);
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.STORED);
  }

  @Test
  void withinTheDedupWindowAMessageLosesItsBodyAndKeepsItsIdentity() {
    receive(1);
    retry(Duration.ZERO);
    process();
    fixture.age(THREE_DAYS);
    assertThat(retain(TWO_DAYS.dedupWindow(Duration.ofDays(5))).emptied()).isPositive();
    assertThat(store.receive(endpoint, List.of(event(0), event(id(0), TYPE, "{\"n\":99}"))))
        .as("nobody can compare the bodies any more")
        .containsOnly(StoreResult.DUPLICATE);
    assertThat(store.attempts(endpoint, id(0))).isEmpty();
  }

  @Test
  void theMessagesOfAnEndpointThatNobodySpeaksForStay() {
    receive(1);
    process();
    fixture.age(THREE_DAYS);
    store.retain(report -> true);
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.DUPLICATE);
  }

  @Test
  void aDeclarationThatKeepsLongerHoldsUnlessItIsOverridden() {
    receive(1);
    process();
    fixture.age(THREE_DAYS);
    store.declareRetention(List.of(endpoint), Retention.days(9));
    retain(TWO_DAYS);
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.DUPLICATE);
    store.retain(List.of(endpoint), TWO_DAYS, true, report -> true);
    assertThat(store.receive(endpoint, List.of(event(0)))).containsExactly(StoreResult.STORED);
  }

  @Test
  void recordsOfInterventionsAreForgottenOnlyOnRequest() {
    receive(1);
    kill("broken");
    store.discardDead(mine(), BY, 0, 10);
    fixture.age(THREE_DAYS);
    retain(TWO_DAYS);
    assertThat(store.interventions(Intervention.Origin.DEAD, mine(), 10)).hasSize(1);
    retain(TWO_DAYS.history(Duration.ofDays(2)));
    assertThat(store.interventions(Intervention.Origin.DEAD, mine(), 10)).isEmpty();
  }

  @Test
  void keepingForeverIsNoReasonForARun() {
    assertThatThrownBy(
            () -> store.retain(List.of(endpoint), Retention.forever(), true, report -> true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private RetentionReport retain(Retention retention) {
    RetentionReport report = store.retain(List.of(endpoint), retention, false, soFar -> true);
    assertThat(report.ran()).isTrue();
    return report;
  }
}
