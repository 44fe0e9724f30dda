package io.inbox4j.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeaderJsonTest {

  @Test
  void noHeadersAreNoJson() {
    assertThat(HeaderJson.write(Map.of())).isNull();
    assertThat(HeaderJson.read(null)).isEmpty();
  }

  @Test
  void nestedHeadersComeBackAsTheyWere() {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    headers.put("text", "ü€😀 \"quoted\" \\");
    headers.put("number", 7);
    headers.put("large", 1L << 40);
    headers.put("decimal", new BigDecimal("12345678901234567890.1234567890"));
    headers.put("truth", true);
    headers.put("nothing", null);
    headers.put("list", Arrays.asList(1, "two", null, List.of(3)));
    headers.put("table", Map.of("inner", Map.of("deepest", List.of(Map.of("x", 1)))));
    assertThat(HeaderJson.read(HeaderJson.write(headers))).isEqualTo(headers);
  }

  @Test
  void charactersThatADatabaseRefusesComeBackAndAreWrittenInAscii() {
    Map<String, @Nullable Object> headers =
        Map.of("nul\0", "a\0b", "half", "x" + (char) 0xD800 + "y", "other", (char) 0xDFFF + "");
    String json = HeaderJson.write(headers);
    assertThat(json).isNotNull().matches("[\\x20-\\x7E]+");
    assertThat(HeaderJson.read(json)).isEqualTo(headers);
  }

  @Test
  void numbersThatJsonDoesNotKnowDoNotFail() {
    String json = HeaderJson.write(Map.of("nan", Double.NaN, "inf", Float.NEGATIVE_INFINITY));
    assertThat(HeaderJson.read(json)).containsEntry("nan", "NaN").containsEntry("inf", "-Infinity");
  }

  @Test
  void tablesAsDeepAsAClientReadsThemComeBack() {
    Map<String, @Nullable Object> headers = Map.of("end", 1);
    for (int i = 0; i < 32; i++) {
      headers = Map.of("next", headers);
    }
    assertThat(HeaderJson.read(HeaderJson.write(headers))).isEqualTo(headers);
  }
}
