package io.inbox4j.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ForeignTextTest {

  @Test
  void whatPeopleWriteStaysAsItIs() {
    String text = "Zoë paid 12,50 € for 寿司 \ud83c\udf63, \"2 pieces\" \\ <b>";
    assertThat(ForeignText.oneLine(text)).isSameAs(text);
    assertThat(ForeignText.lines(text)).containsExactly(text);
  }

  @Test
  void whatActsOnATerminalIsShownInstead() {
    assertThat(ForeignText.oneLine("a\u001b[2Jb\u0007c\u0000d\u007fe"))
        .isEqualTo("a\\u001b[2Jb\\u0007c\\u0000d\\u007fe");
    assertThat(ForeignText.oneLine("\u009b31m\u0085")).isEqualTo("\\u009b31m\\u0085");
  }

  @Test
  void whatEndsALineIsShownInstead() {
    assertThat(ForeignText.oneLine("a\nb\rc\u000bd\fe\u2028f\u2029g\th"))
        .isEqualTo("a\\u000ab\\u000dc\\u000bd\\u000ce\\u2028f\\u2029g\\u0009h");
  }

  @Test
  void whatTurnsOrHidesTextIsShownInstead() {
    assertThat(ForeignText.oneLine("\u202eevil\u2066\u200b\ufeff\u200e"))
        .isEqualTo("\\u202eevil\\u2066\\u200b\\ufeff\\u200e");
    assertThat(ForeignText.oneLine("tag\udb40\udc41")).isEqualTo("tag\\udb40\\udc41");
  }

  @Test
  void halvesOfCharactersAreShownInstead() {
    assertThat(ForeignText.oneLine("\ud83c|\udf63")).isEqualTo("\\ud83c|\\udf63");
  }

  @Test
  void linesKeepTheirEndsAndTabsAndNothingElse() {
    assertThat(ForeignText.lines("{\r\n\t\"a\": 1\n}\rx\u001b\u2028\n"))
        .containsExactly("{", "\t\"a\": 1", "}", "x\\u001b\\u2028");
    assertThat(ForeignText.lines("")).isEmpty();
  }
}
