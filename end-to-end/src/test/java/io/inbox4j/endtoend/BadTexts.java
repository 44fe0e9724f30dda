package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.quarantined;
import static io.inbox4j.listener.QuarantineReason.INVALID_JSON;
import static io.inbox4j.listener.QuarantineReason.NOT_UTF8;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Bytes that are no text in UTF-8. */
final class BadTexts {

  private static final String ZEROS =
      "the body has zero bytes, as UTF-16 and UTF-32 have; expected UTF-8";
  private static final String INVALID = "the body is not valid UTF-8";

  private BadTexts() {}

  static Stream<BadInput> all() {
    return Stream.of(
        of("UTF-16", "{}".getBytes(StandardCharsets.UTF_16BE), ZEROS),
        of("UTF-32", "{}".getBytes(Charset.forName("UTF-32LE")), ZEROS),
        of("a zero byte in a text", BadInput.bytes("{\"order\":\"a\0b\"}"), ZEROS),
        of("Latin-1", "{\"order\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1), INVALID),
        of("random bytes", new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF}, INVALID),
        of("an overlong character", inText((byte) 0xC0, (byte) 0xAF), INVALID),
        of("half a character in bytes", inText((byte) 0xED, (byte) 0xA0, (byte) 0x80), INVALID),
        of("a character that breaks off", new byte[] {'"', (byte) 0xF0, (byte) 0x9F}, INVALID),
        quarantined(
            "a byte order mark",
            "\uFEFF{}",
            INVALID_JSON,
            "the body begins with a byte order mark; JSON has none"));
  }

  private static BadInput of(String name, byte[] body, String explanation) {
    return quarantined(name, good(), body, NOT_UTF8, explanation);
  }

  private static byte[] inText(byte... bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return "{\"order\":\"%s\"}".formatted(text).getBytes(StandardCharsets.ISO_8859_1);
  }
}
