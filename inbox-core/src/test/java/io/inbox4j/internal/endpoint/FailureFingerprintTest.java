package io.inbox4j.internal.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureFingerprintTest {

  private static final StackTraceElement HANDLER = frame("shop.Billing", "handle", 17);
  private static final StackTraceElement DRIVER =
      frame("org.postgresql.jdbc.PgStatement", "run", 3);

  @Test
  void equalFailuresHaveTheSameWhateverTheirMessageAndLines() {
    assertThat(of(new IllegalStateException("no stock of 17"), HANDLER))
        .matches("[0-9a-f]{16}")
        .isEqualTo(
            of(new IllegalStateException("no stock of 4"), frame("shop.Billing", "handle", 99)));
  }

  @Test
  void itIsTheSameInEveryProcess() {
    assertThat(of(new IllegalStateException(), HANDLER)).isEqualTo("05726319b0034982");
  }

  @Test
  void anotherClassCauseMethodOrPlaceIsAnotherFailure() {
    assertThat(of(new IllegalStateException(), HANDLER))
        .isNotEqualTo(of(new IllegalArgumentException(), HANDLER))
        .isNotEqualTo(of(new IllegalStateException(), frame("shop.Billing", "refund", 17)))
        .isNotEqualTo(of(new IllegalStateException(), frame("shop.Shipping", "handle", 17)))
        .isNotEqualTo(FailureFingerprint.of(new IllegalStateException(failure(HANDLER))));
  }

  @Test
  void theFramesAreThoseOfTheApplicationInTheRootCause() {
    Throwable one = new RuntimeException(failure(DRIVER, HANDLER));
    Throwable other = new RuntimeException(failure(DRIVER, frame("shop.Shipping", "handle", 1)));
    Throwable wrappedElsewhere = new RuntimeException(failure(HANDLER));
    wrappedElsewhere.setStackTrace(new StackTraceElement[] {frame("shop.Wrapper", "wrap", 1)});
    assertThat(FailureFingerprint.of(one))
        .isEqualTo(FailureFingerprint.of(wrappedElsewhere))
        .isNotEqualTo(FailureFingerprint.of(other));
  }

  @Test
  void theThreadThatAHandlerRunsOnMakesNoDifference() {
    StackTraceElement engine = frame("io.inbox4j.internal.run.HandlerInvoker", "handle", 1);
    assertThat(
            of(new IllegalStateException(), engine, HANDLER, engine, frame("a.Thread", "run", 1)))
        .isEqualTo(of(new IllegalStateException(), HANDLER));
  }

  @Test
  void generatedNamesMakeNoDifference() {
    String plain = of(new IllegalStateException(), frame("shop.Billing", "lambda$on$", 1));
    assertThat(of(new IllegalStateException(), frame("shop.Billing", "lambda$on$7", 1)))
        .isEqualTo(plain);
    for (String proxy :
        new String[] {
          "shop.Billing$$SpringCGLIB$$0",
          "shop.Billing$$Lambda/0x00007f12",
          "shop.Billing$$Lambda$14/0x00007f12",
          "shop.Billing$ByteBuddy$dQw4w9"
        }) {
      assertThat(of(new IllegalStateException(), frame(proxy, "lambda$on$1", 1)))
          .as(proxy)
          .isEqualTo(plain);
    }
    assertThat(of(new IllegalStateException(), frame("shop.Billing$1", "run", 1)))
        .isEqualTo(of(new IllegalStateException(), frame("shop.Billing$2", "run", 1)));
  }

  @Test
  void framesAfterTheFifthAreNotPartOfIt() {
    StackTraceElement[] frames = new StackTraceElement[6];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = frame("shop.Billing", "step" + (char) ('a' + i), i);
    }
    String six = of(new IllegalStateException(), frames);
    frames[5] = frame("shop.Other", "start", 1);
    assertThat(of(new IllegalStateException(), frames)).isEqualTo(six);
    frames[4] = frame("shop.Other", "start", 1);
    assertThat(of(new IllegalStateException(), frames)).isNotEqualTo(six);
  }

  @Test
  void aStackOverflowIsTheSameWhereverItIsNoticed() {
    assertThat(of(new StackOverflowError(), frame("shop.Tree", "walk", 1)))
        .isEqualTo(of(new StackOverflowError(), frame("shop.Tree", "visit", 1)));
  }

  @Test
  void aFailureThatCannotEvenBeReadHasOne() {
    assertThat(FailureFingerprint.of(new Unspeakable())).matches("[0-9a-f]{16}");
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized @Nullable Throwable getCause() {
      throw new IllegalStateException("no cause");
    }
  }

  private static String of(Throwable failure, StackTraceElement... frames) {
    failure.setStackTrace(frames);
    return FailureFingerprint.of(failure);
  }

  private static Throwable failure(StackTraceElement... frames) {
    IllegalStateException failure = new IllegalStateException();
    failure.setStackTrace(frames);
    return failure;
  }

  private static StackTraceElement frame(String type, String method, int line) {
    return new StackTraceElement(type, method, "File.java", line);
  }
}
