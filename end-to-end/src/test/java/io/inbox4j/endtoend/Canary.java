package io.inbox4j.endtoend;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** A text that is planted where it belongs, and must be found nowhere else. */
enum Canary {
  /** In bodies. */
  PAYLOAD("payload-7f3a9c"),
  /** In headers. */
  HEADER("header-b81d42"),
  /** In what a handler's own exception says: kept with the message, and not logged. */
  SAID("said-5e60f7"),
  JDBC_PASSWORD("jdbc-c94a1b"),
  AMQP_PASSWORD("amqp-20d8e6");

  private final String text;

  Canary(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /** As it is, and as the database and headers encode bytes. */
  boolean isIn(String line) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Stream.of(
            text,
            HexFormat.of().formatHex(bytes),
            Base64.getEncoder().withoutPadding().encodeToString(bytes))
        .anyMatch(line::contains);
  }

  /** The lines that it got into. */
  List<String> in(List<String> lines) {
    return lines.stream().filter(this::isIn).toList();
  }
}
