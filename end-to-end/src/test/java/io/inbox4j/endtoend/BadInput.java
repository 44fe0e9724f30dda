package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.listener.QuarantineReason;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A message that a careless or hostile producer sends, and what becomes of it.
 *
 * @param reason why it is in quarantine, or null
 * @param explanation what a person is told, in part, if it is kept
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record BadInput(
    String name,
    BasicProperties properties,
    byte[] body,
    Fate fate,
    QuarantineReason reason,
    String explanation) {

  /** What becomes of a message. */
  enum Fate {
    /** It is kept in {@code inbox_quarantine}, with its bytes and a reason. */
    QUARANTINED,
    /** It is stored, and kept in {@code inbox_dead} with the error. */
    DEAD,
    /** It is odd, and an event: its handler runs once. */
    HANDLED,
    /** It was there before: nothing changes. */
    DUPLICATE
  }

  static final int MAX_BODY = 200_000;
  static final int MAX_HEADERS = 2_000;
  static final String ORDERING_KEY = "order-key";

  /** An order that is there before, for what contradicts it. */
  static final String STORED = "stored before";

  /** All of them; what is very large, and what would kill connections, comes last. */
  static Stream<BadInput> all() {
    return Stream.of(
            BadIdentities.all(),
            BadTypes.all(),
            BadTexts.all(),
            BadDocuments.all(),
            BadValues.all(),
            OddHeaders.all(),
            BadContents.all(),
            TransportPoison.all())
        .flatMap(inputs -> inputs);
  }

  /** The row of the documentation: what it is, what becomes of it, and why. */
  String row() {
    String outcome =
        switch (fate) {
          case QUARANTINED -> "quarantined, `%s`".formatted(kept().code());
          case DEAD -> "dead";
          case HANDLED -> "handled";
          case DUPLICATE -> "ignored";
        };
    return "| %s | %s | %s |".formatted(name, outcome, explanation);
  }

  QuarantineReason kept() {
    if (reason == null) {
      throw new IllegalStateException(name + " is not in quarantine");
    }
    return reason;
  }

  /** The properties of a good order. */
  static BasicProperties.Builder good() {
    return Publisher.order(UUID.randomUUID()).builder();
  }

  static BadInput quarantined(
      String name,
      BasicProperties.Builder properties,
      byte[] body,
      QuarantineReason reason,
      String explanation) {
    return new BadInput(name, properties.build(), body, Fate.QUARANTINED, reason, explanation);
  }

  static BadInput quarantined(
      String name,
      BasicProperties.Builder properties,
      String body,
      QuarantineReason reason,
      String explanation) {
    return quarantined(name, properties, bytes(body), reason, explanation);
  }

  static BadInput quarantined(
      String name, String body, QuarantineReason reason, String explanation) {
    return quarantined(name, good(), bytes(body), reason, explanation);
  }

  static BadInput dead(String name, String body, String explanation) {
    return dead(name, good(), body, explanation);
  }

  static BadInput dead(
      String name, BasicProperties.Builder properties, String body, String explanation) {
    return new BadInput(name, properties.build(), bytes(body), Fate.DEAD, null, explanation);
  }

  /** An order of the input's name, without an id of its own in the body. */
  static BadInput handled(String name, BasicProperties.Builder properties, String explanation) {
    return handled(
        name, properties, "{\"order\":\"%s\",\"amount\":1}".formatted(name), explanation);
  }

  static BadInput handled(
      String name, BasicProperties.Builder properties, String body, String explanation) {
    return new BadInput(name, properties.build(), bytes(body), Fate.HANDLED, null, explanation);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
