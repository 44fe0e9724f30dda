package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.handled;
import static io.inbox4j.endtoend.BadInput.quarantined;
import static io.inbox4j.listener.QuarantineReason.BAD_ID;
import static io.inbox4j.listener.QuarantineReason.ID_CONFLICT;
import static io.inbox4j.listener.QuarantineReason.ID_MISMATCH;
import static io.inbox4j.listener.QuarantineReason.MISSING_ID;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

/** Ids that are missing, damaged, contradictory, or somebody else's. */
final class BadIdentities {

  private static final UUID STORED = Publisher.idOf(BadInput.STORED);

  private BadIdentities() {}

  static Stream<BadInput> all() {
    return Stream.concat(damaged(), colliding());
  }

  private static Stream<BadInput> damaged() {
    return Stream.of(
        quarantined(
            "no id",
            ids(null),
            "{\"order\":\"o\",\"amount\":1}",
            MISSING_ID,
            "neither the message-id property nor the body's messageId is set"),
        quarantined("an empty id", ids(""), "{}", BAD_ID, "the message id is blank"),
        quarantined("a blank id", ids("  "), "{}", BAD_ID, "the message id is blank"),
        new BadInput(
            "an id that is not UTF-8",
            RawProperties.messageId(new byte[] {'o', (byte) 0xC3, 0x28}),
            BadInput.bytes("{}"),
            BadInput.Fate.QUARANTINED,
            BAD_ID,
            "the message id is not valid UTF-8; different ids would look the same"),
        quarantined(
            "an endless id in the body",
            ids(null),
            "{\"messageId\":\"%s\"}".formatted("7".repeat(300)),
            BAD_ID,
            "the message id has 300 characters; at most 255 are accepted"),
        quarantined("a number as id", ids(null), "{\"messageId\":7}", BAD_ID, "is a JSON number"),
        quarantined("an object as id", ids(null), "{\"messageId\":{}}", BAD_ID, "is a JSON object"),
        quarantined(
            "two ids in the body",
            ids(null),
            "{\"messageId\":\"a\",\"messageId\":\"b\"}",
            BAD_ID,
            "the body has the field messageId twice"),
        quarantined(
            "half a character as id",
            ids("one"),
            "{\"messageId\":\"\\ud800\"}",
            BAD_ID,
            "the message id is not valid UTF-8"),
        handled("an id of rubbish", ids("%$\\ 💥 ../../etc/passwd"), "any stable text is an id"),
        handled("an id of SQL", ids("'; DROP TABLE inbox_messages; --"), "it is never part of SQL"),
        handled("an id with a zero character", ids("a\0b"), "it becomes a UUID"));
  }

  private static Stream<BadInput> colliding() {
    String order = new String(Publisher.body(STORED, BadInput.STORED, 1), StandardCharsets.UTF_8);
    return Stream.of(
        quarantined(
            "ids that differ",
            ids("one"),
            "{\"messageId\":\"other\"}",
            ID_MISMATCH,
            "the message-id property is 'one', the body's messageId is 'other'"),
        quarantined(
            "ids that differ by a zero character",
            ids("one"),
            "{\"messageId\":\"one\\u0000\"}",
            ID_MISMATCH,
            "the body's messageId is 'one\\u0000'"),
        quarantined(
            "another body under a known id",
            ids(STORED.toString()),
            order.replace(":1}", ":2}"),
            ID_CONFLICT,
            "is stored with another body or type"),
        quarantined(
            "another type under a known id",
            ids(STORED.toString()).type("orders.order-cancelled"),
            order,
            ID_CONFLICT,
            "is stored with another body or type"),
        duplicate("a known message once more", STORED.toString(), order),
        duplicate("a known id in capitals", STORED.toString().toUpperCase(Locale.ROOT), order));
  }

  private static BadInput duplicate(String name, String id, String body) {
    return new BadInput(
        name,
        ids(id).build(),
        BadInput.bytes(body),
        BadInput.Fate.DUPLICATE,
        null,
        "it is stored already, with the same body and type");
  }

  private static BasicProperties.Builder ids(String id) {
    return good().messageId(id);
  }
}
