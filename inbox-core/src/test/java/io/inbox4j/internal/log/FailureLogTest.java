package io.inbox4j.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureLogTest {

  private final AtomicLong now = new AtomicLong();
  private final FailureLog log =
      new FailureLog(
          false, it -> it instanceof SQLException ? "constraint one_per_order" : "", now::get);

  @Test
  void theLineNamesAllClassesAndNothingThatTheySay() {
    Exception failure =
        new IllegalStateException("secret", new IllegalArgumentException("secret too"));
    assertThat(log.line(failure))
        .isEqualTo("java.lang.IllegalStateException because of java.lang.IllegalArgumentException");
  }

  @Test
  void ofADatabaseItHasTheNames() {
    assertThat(log.line(new SQLException("secret")))
        .isEqualTo("java.sql.SQLException (constraint one_per_order)");
  }

  @Test
  void theTraceHasTheFramesOfEveryCauseAndNothingThatTheySay() {
    Exception failure = new IllegalStateException("secret", new SQLException("secret"));
    assertThat(printed(log.seldom("retried", failure)))
        .contains("java.lang.IllegalStateException\n")
        .containsPattern("at .*FailureLogTest\\.theTraceHas\\w+\\(FailureLogTest\\.java:")
        .contains("Caused by: ")
        .contains("java.sql.SQLException (constraint one_per_order)\n")
        .doesNotContain("secret");
  }

  @Test
  void onRequestItHasWhatExceptionsSayInOneLineAndCut() {
    FailureLog open = new FailureLog(true, it -> "");
    assertThat(open.line(new IllegalStateException("said\n12:00 ERROR forged")))
        .isEqualTo("java.lang.IllegalStateException: said\\u000a12:00 ERROR forged");
    assertThat(open.line(new IllegalStateException("x".repeat(1_000_000)))).hasSizeLessThan(1_100);
  }

  @Test
  void aTraceIsShownOnceAMinuteForEveryKindAndEvent() {
    assertThat(log.seldom("retried", thrown())).isNotNull();
    assertThat(log.seldom("retried", thrown())).isNull();
    assertThat(log.seldom("dead", thrown())).isNotNull();
    assertThat(log.seldom("retried", new IllegalStateException("elsewhere"))).isNotNull();
    now.addAndGet(FailureLog.TRACE_EVERY.toNanos());
    assertThat(log.seldom("retried", thrown())).isNotNull();
  }

  @Test
  void kindsWithoutEndTakeNoMemoryWithoutEnd() {
    log.seldom("0", thrown());
    IntStream.rangeClosed(1, FailureLog.MAX_KINDS)
        .forEach(n -> assertThat(log.seldom(String.valueOf(n), thrown())).isNotNull());
    assertThat(log.seldom("0", thrown())).as("forgotten").isNotNull();
    assertThat(log.seldom(String.valueOf(FailureLog.MAX_KINDS), thrown())).isNull();
  }

  @Test
  void aFailureThatCannotBeAskedForAnythingIsShownAllTheSame() {
    Throwable failure = new Unspeakable();
    assertThat(log.line(failure)).isEqualTo(Unspeakable.class.getName());
    assertThat(new FailureLog(true, it -> "").line(failure)).contains(Unspeakable.class.getName());
    assertThat(log.seldom("retried", failure)).isNotNull();
  }

  @Test
  void causesInACircleComeToAnEnd() {
    Exception one = new IllegalStateException();
    one.initCause(new IllegalArgumentException(one));
    assertThat(log.line(one)).hasSizeLessThan(1_000);
  }

  @Test
  void theSummarySaysWhereInTheCallersOwnCodeItWas() {
    Throwable failure = thrownByThePlatform();
    assertThat(LoggedFailure.summary(failure))
        .matches(
            "java\\.lang\\.NullPointerException at .*thrownByThePlatform\\(FailureLogTest\\.java.*");
  }

  private static Throwable thrown() {
    return new IllegalStateException("x");
  }

  private static Throwable thrownByThePlatform() {
    try {
      Objects.requireNonNull(null, "secret");
      throw new AssertionError();
    } catch (NullPointerException e) {
      return e;
    }
  }

  private static String printed(@Nullable Throwable failure) {
    StringWriter text = new StringWriter();
    Objects.requireNonNull(failure).printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static final class Unspeakable extends RuntimeException {

    @Override
    public String getMessage() {
      throw new IllegalStateException("nothing to say");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("no stack");
    }
  }
}
