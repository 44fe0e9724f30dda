package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Action;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who did what, and how often. */
abstract class RecordingContract extends ContractPart {

  private static final String FULL = "the disk is full";

  @Test
  void whatIsDoneWithADeadMessageIsRecorded() {
    receive(1);
    long sequence = kill("no stock").get(0).sequence();
    store.replayDead(mine(), "anna", 0, 10);
    kill("no stock again");
    store.discardDead(mine(), "bert", 0, 10);
    List<Intervention> history = store.interventions(Origin.DEAD, mine(), 10);
    String id = id(0).toString();
    Instant first = history.get(1).at();
    Instant second = history.get(0).at();
    assertThat(history)
        .containsExactly(
            new Intervention(
                Action.DISCARD,
                Origin.DEAD,
                sequence,
                endpoint,
                id,
                TYPE,
                "no stock again",
                "bert",
                second),
            new Intervention(
                Action.REPLAY,
                Origin.DEAD,
                sequence,
                endpoint,
                id,
                TYPE,
                "no stock",
                "anna",
                first));
    assertThat(second).isAfter(first).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    assertThat(store.interventions(Origin.QUARANTINE, mine(), 10)).isEmpty();
  }

  @Test
  void aDeadMessageSaysHowOftenItWasReplayed() {
    receive(2);
    kill("broken");
    assertThat(dead()).extracting(DeadMessage::replays).containsExactly(0, 0);
    long first = dead().get(0).sequence();
    assertThat(store.replayDead(mine(), BY, 0, 1))
        .extracting(DeadMessage::replays)
        .containsExactly(0);
    kill("broken");
    assertThat(store.replayDead(mine(), BY, 0, 1))
        .extracting(DeadMessage::replays)
        .containsExactly(1);
    kill("broken");
    assertThat(dead()).extracting(DeadMessage::replays).containsExactly(2, 0);
    assertThat(dead().get(0).sequence()).isEqualTo(first);
  }

  @Test
  void whatIsDoneWithQuarantinedDeliveriesIsRecorded() {
    store.receive(
        endpoint,
        List.of(
            rejected(QuarantineReason.UNKNOWN_TYPE, TYPE, "one"),
            rejected(QuarantineReason.BAD_ID, null, "two")));
    long one = store.listQuarantined(mine(), 0, 10).get(0).sequence();
    store.replayQuarantined(mine(), "anna", 0, 1, it -> event(id(0), TYPE, "one"));
    store.discardQuarantined(mine(), "bert", 0, 10);
    assertThat(store.interventions(Origin.QUARANTINE, mine(), 10))
        .extracting(
            Intervention::action,
            Intervention::origin,
            Intervention::sequence,
            Intervention::messageId,
            Intervention::type,
            Intervention::reason,
            Intervention::by)
        .containsExactly(
            tuple(Action.DISCARD, Origin.QUARANTINE, one + 1, "x", null, "bad-id: why two", "bert"),
            tuple(
                Action.REPLAY, Origin.QUARANTINE, one, "x", TYPE, "unknown-type: why one", "anna"));
    assertThat(store.interventions(Origin.DEAD, mine(), 10)).isEmpty();
  }

  @Test
  void aDeliveryThatStaysInQuarantineHasNoRecord() {
    store.receive(endpoint, List.of(rejected(QuarantineReason.BAD_ID, TYPE, "one")));
    store.replayQuarantined(
        mine(), BY, 0, 10, it -> rejected(QuarantineReason.BAD_ID, TYPE, "one"));
    assertThat(store.interventions(Origin.QUARANTINE, mine(), 10)).isEmpty();
  }

  @Test
  void aFilterChoosesFromTheHistory() {
    receive(2);
    kill(FULL);
    store.replayDead(mine(), BY, 0, 10);
    kill("no stock");
    store.discardDead(mine(), BY, 0, 10);
    assertThat(history(mine())).containsExactly("no stock", "no stock", FULL, FULL);
    assertThat(store.interventions(Origin.DEAD, mine(), 10))
        .extracting(Intervention::messageId)
        .as("newest first")
        .containsExactly(id(1).toString(), id(0).toString(), id(1).toString(), id(0).toString());
    assertThat(store.interventions(Origin.DEAD, mine(), 3)).hasSize(3);
    assertThat(history(mine().text("disk"))).containsExactly(FULL, FULL);
    assertThat(history(mine().types(TYPES))).hasSize(4);
    assertThat(history(mine().types(Set.of("cancelled")))).isEmpty();
    assertThat(history(mine().olderThan(Duration.ZERO))).hasSize(4);
    assertThat(history(mine().olderThan(Duration.ofHours(1)))).isEmpty();
    assertThat(history(MessageFilter.all().endpoint("another"))).isEmpty();
  }

  private List<String> history(MessageFilter filter) {
    return store.interventions(Origin.DEAD, filter, 10).stream().map(Intervention::reason).toList();
  }
}
