package io.inbox4j.internal.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.internal.log.LoggedFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureTextTest {

  @Test
  void itBeginsWithTheReasonThenTheFailureThenWhereItWas() {
    String text = FailureText.of("attempt 3 of 3 failed", new IllegalStateException("no stock"));
    assertThat(text)
        .startsWith("attempt 3 of 3 failed: java.lang.IllegalStateException: no stock")
        .contains("at " + FailureTextTest.class.getName());
  }

  @Test
  void causesAreInItHoweverDeepTheStackIs() {
    assertThat(FailureText.of(new RuntimeException("outer", new Exception("inner"))))
        .contains("outer")
        .contains("because of java.lang.Exception: inner");
  }

  @Test
  void itIsCut() {
    String text = FailureText.of(new RuntimeException("x".repeat(10_000)));
    assertThat(text).hasSize(FailureText.MAX_LENGTH).endsWith("…");
  }

  @Test
  void aFailureThatCannotEvenBeShownIsShownByItsClass() {
    assertThat(FailureText.of(new Unspeakable())).contains(Unspeakable.class.getName());
    assertThat(FailureText.of("gave up", new Unspeakable()))
        .startsWith("gave up")
        .contains(Unspeakable.class.getName());
  }

  @Test
  void aFailureThatSaysNothingAtAllIsShownByItsClass() {
    assertThat(FailureText.summaryOf(new Speechless())).contains(Speechless.class.getName());
    assertThat(FailureText.of(new Exception(new Speechless())))
        .contains("because of " + Speechless.class.getName());
    assertThat(LoggedFailure.summary(new Speechless())).contains(Speechless.class.getName());
  }

  @SuppressWarnings({"OverrideThrowableToString", "ToStringReturnsNull"}) // as a handler's may be
  private static final class Speechless extends RuntimeException {
    @Override
    public @Nullable String toString() {
      return null;
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      return new StackTraceElement[] {null};
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("there is no telling");
    }
  }

  private static final class Unspeakable extends RuntimeException {
    @Override
    public @Nullable String getMessage() {
      throw new IllegalStateException("there is nothing to say");
    }
  }
}
