package io.inbox4j.internal.receive;

import io.inbox4j.internal.log.ForeignText;
import io.inbox4j.listener.QuarantineReason;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs quarantined deliveries, in few lines however many there are: the first of an endpoint and
 * reason at once, and then at most once a minute how many more there were. Every single one is
 * logged at DEBUG level. Thread-safe.
 */
public final class QuarantineLog {

  static final Duration INTERVAL = Duration.ofMinutes(1);

  private static final String ONE = "A delivery of {} is in quarantine as {}: {}; id {}";
  private static final String MORE =
      "{} more deliveries of {} are in quarantine as {} in {} s, the last of them: {}; id {}";

  private final LongSupplier clock;
  private final Logger log;
  private final Map<Subject, Unsaid> subjects = new ConcurrentHashMap<>();

  private record Subject(String endpoint, QuarantineReason reason) {}

  public QuarantineLog() {
    this(System::nanoTime, LoggerFactory.getLogger(QuarantineLog.class));
  }

  /**
   * @param clock nanoseconds from an arbitrary origin
   */
  QuarantineLog(LongSupplier clock, Logger log) {
    this.clock = clock;
    this.log = log;
  }

  /** Records that a delivery was quarantined. */
  void add(String endpoint, QuarantineReason reason, @Nullable String messageId, String detail) {
    String id = messageId == null ? "-" : ForeignText.oneLine(messageId);
    log.debug(ONE, endpoint, reason.code(), detail, id);
    subjects.computeIfAbsent(new Subject(endpoint, reason), Unsaid::new).add(id, detail);
  }

  /** Logs counts that have been pending for long enough. */
  public void report() {
    subjects.values().forEach(it -> it.report(false));
  }

  /** Logs all pending counts. */
  public void close() {
    subjects.values().forEach(it -> it.report(true));
  }

  /** The deliveries quarantined since the last log line. */
  private final class Unsaid {

    private final Subject subject;
    private long said = clock.getAsLong() - INTERVAL.toNanos();
    private long count;
    private String lastId = "";
    private String lastDetail = "";

    private Unsaid(Subject subject) {
      this.subject = subject;
    }

    private synchronized void add(String id, String detail) {
      count++;
      lastId = id;
      lastDetail = detail;
      report(false);
    }

    private synchronized void report(boolean all) {
      long now = clock.getAsLong();
      if (count == 0 || (!all && now - said < INTERVAL.toNanos())) {
        return;
      }
      String code = subject.reason.code();
      if (count == 1) {
        log.warn(ONE, subject.endpoint, code, lastDetail, lastId);
      } else {
        log.warn(
            MORE,
            count,
            subject.endpoint,
            code,
            Duration.ofNanos(now - said).toSeconds(),
            lastDetail,
            lastId);
      }
      said = now;
      count = 0;
    }
  }
}
