package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Characters that PostgreSQL cannot store must not keep a message from being stored. */
class StoredTextTest {

  private static final String HALF = "half " + (char) 0xD800 + " a character";

  private final TestDatabase database = TestDatabase.fresh();
  private final JdbiInboxStore store = Messages.store(database);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aNulInAPropertyIsShownAsItsSymbol() {
    ValidatedDelivery event =
        new ValidatedDelivery.Event(
            Messages.delivery("1", Messages.TYPE, "a\0b", "s\0", "{}"),
            null,
            Messages.id(1),
            Messages.TYPE);
    assertThat(store.receive(Messages.ENDPOINT, List.of(event)))
        .containsExactly(StoreResult.STORED);
    ClaimedMessage message = Messages.settle(store, 1, Outcome.Processed::new).get(0);
    assertThat(message.correlationId()).isEqualTo("a\u2400b");
    assertThat(message.source()).isEqualTo("s\u2400");
  }

  @Test
  void aNulInWhatIsPutAsideIsShownAsItsSymbol() {
    store.receive(Messages.ENDPOINT, List.of(Messages.rejected("ty\0pe", "the type is 'ty\0pe'")));
    QuarantinedMessage message = store.listQuarantined(MessageFilter.all(), 0, 1).get(0);
    assertThat(message.delivery().type()).isEqualTo("ty\u2400pe");
    assertThat(message.detail()).isEqualTo("the type is 'ty\u2400pe'");
  }

  @Test
  void halfACharacterIsStoredSomehow() {
    ValidatedDelivery event =
        new ValidatedDelivery.Event(
            Messages.delivery("1", Messages.TYPE, HALF, HALF, "{}"),
            null,
            Messages.id(1),
            Messages.TYPE);
    assertThat(store.receive(Messages.ENDPOINT, List.of(event, Messages.rejected(HALF, HALF))))
        .containsExactly(StoreResult.STORED, StoreResult.QUARANTINED);
  }

  @Test
  void anErrorOfAnyTextIsKept() {
    store.receive(Messages.ENDPOINT, Messages.events(1));
    Messages.settle(store, 1, it -> new Outcome.Retry(it, Duration.ZERO, "a\0b " + HALF));
    Messages.settle(store, 1, it -> new Outcome.Dead(it, "{\"a\\b\",NULL}\0" + HALF + "😀'"));
    assertThat(store.listDead(MessageFilter.all(), 1))
        .singleElement()
        .extracting(DeadMessage::error)
        .asString()
        .startsWith("{\"a\\b\",NULL}\u2400half ")
        .endsWith(" a character😀'");
  }

  /** A trigger of the user's quotes it. */
  @Test
  void whatAProducerWroteForgesNoLineByWayOfAnErrorOfTheDatabase() {
    database.execute(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'unknown tenant %', NEW.correlation_id;
        END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON inbox_messages
        FOR EACH ROW EXECUTE FUNCTION refuse()
        """);
    String forged = "x\nERROR io.inbox4j: all is lost " + (char) 0x1B + "[31m" + "x".repeat(2_000);
    ValidatedDelivery event =
        new ValidatedDelivery.Event(
            Messages.delivery("1", Messages.TYPE, forged, null, "{}"),
            null,
            Messages.id(1),
            Messages.TYPE);
    assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, List.of(event)))
        .message()
        .contains("unknown tenant x\\u000aERROR")
        .contains("\\u001b[31m")
        .doesNotContain("\n")
        .hasSizeLessThan(1_200);
  }

  @Test
  void everyReasonCanBeStoredAndRead() {
    List<ValidatedDelivery> all =
        java.util.Arrays.stream(QuarantineReason.values())
            .<ValidatedDelivery>map(
                reason ->
                    new ValidatedDelivery.Rejected(
                        Messages.delivery(reason.code(), "t", "c", "s", "{}"),
                        "{\"h\":1}",
                        reason,
                        "why"))
            .toList();
    store.receive(Messages.ENDPOINT, all);
    assertThat(store.listQuarantined(MessageFilter.all(), 0, 100))
        .extracting(QuarantinedMessage::reason)
        .containsExactly(QuarantineReason.values());
    assertThat(store.listQuarantined(MessageFilter.all(), 0, 1).get(0).delivery().headers())
        .containsEntry("h", 1);
  }

  @Test
  void bytesAreKeptAsTheyCame() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < 256; i++) {
      bytes[i] = (byte) i;
    }
    var delivery =
        new io.inbox4j.transport.Delivery(
            null, null, null, null, null, null, java.util.Map.of(), bytes, true);
    store.receive(
        Messages.ENDPOINT,
        List.of(
            new ValidatedDelivery.Event(delivery, null, Messages.id(1), Messages.TYPE),
            new ValidatedDelivery.Rejected(delivery, null, QuarantineReason.NOT_UTF8, "why")));
    assertThat(Messages.settle(store, 1, Outcome.Processed::new).get(0).body()).isEqualTo(bytes);
    assertThat(store.listQuarantined(MessageFilter.all(), 0, 1).get(0).delivery().body())
        .isEqualTo(bytes);
  }
}
