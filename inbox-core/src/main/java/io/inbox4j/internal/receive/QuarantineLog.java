package io.inbox4j.internal.receive;

import io.inbox4j.internal.log.ForeignText;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.transport.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs quarantined deliveries, in few lines however many there are: the first of an endpoint and
 * reason at once, and then at most once a minute how many more there were. Every single one is
 * logged at DEBUG level. Thread-safe.
 *
 * <p>A type that is unknown here may be handled by another running process, which takes its
 * deliveries in: that is normal in a rolling deployment, and no reason to warn. So deliveries of an
 * unknown type are logged type by type, with the next report.
 */
public final class QuarantineLog {

  static final Duration INTERVAL = Duration.ofMinutes(1);

  private static final String ONE = "A delivery of {} is in quarantine as {}: {}; id {}";
  private static final String MORE =
      "{} more deliveries of {} are in quarantine as {} in {} s, the last of them: {}; id {}";

  private static final String NOBODY =
      "{} deliveries of {} are in quarantine because no running process handles their type, the"
          + " last of them: {}; id {}";
  private static final String ELSEWHERE =
      "{} deliveries of {} are of the type {}, which this process does not know; {} handles it and"
          + " takes them in";

  /** From this many on, unknown types are not told apart. */
  private static final int MAX_SUBJECTS = 1_000;

  private final Supplier<List<RunningProcess>> processes;
  private final LongSupplier clock;
  private final Logger log;
  private final Map<Subject, Unsaid> subjects = new ConcurrentHashMap<>();

  /** What is counted together; the type only if it is unknown. */
  private record Subject(String endpoint, QuarantineReason reason, @Nullable String type) {}

  /**
   * @param processes the processes that are running
   */
  public QuarantineLog(Supplier<List<RunningProcess>> processes) {
    this(processes, System::nanoTime, LoggerFactory.getLogger(QuarantineLog.class));
  }

  /**
   * @param clock nanoseconds from an arbitrary origin
   */
  QuarantineLog(Supplier<List<RunningProcess>> processes, LongSupplier clock, Logger log) {
    this.processes = processes;
    this.clock = clock;
    this.log = log;
  }

  /** Records that a delivery was quarantined. */
  void add(String endpoint, QuarantineReason reason, Delivery delivery, String detail) {
    String messageId = delivery.messageId();
    String id = messageId == null ? "-" : ForeignText.oneLine(messageId);
    log.debug(ONE, endpoint, reason.code(), detail, id);
    boolean byType = reason == QuarantineReason.UNKNOWN_TYPE && subjects.size() < MAX_SUBJECTS;
    Subject subject = new Subject(endpoint, reason, byType ? delivery.type() : null);
    subjects.computeIfAbsent(subject, Unsaid::new).add(id, detail);
  }

  /** Logs counts that have been pending for long enough. */
  public void report() {
    List<RunningProcess> running =
        subjects.values().stream().anyMatch(Unsaid::asksWhoHandlesIt) ? running() : null;
    subjects.values().forEach(it -> it.report(false, running));
  }

  private @Nullable List<RunningProcess> running() {
    try {
      return processes.get();
    } catch (RuntimeException e) { // the deliveries are logged nevertheless
      log.debug("It is not known which processes are running: {}", LoggedFailure.summary(e));
      return null;
    }
  }

  /** Logs all pending counts. */
  public void close() {
    subjects.values().forEach(it -> it.report(true, null));
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
      if (subject.type == null) {
        report(false, null);
      }
    }

    private synchronized boolean asksWhoHandlesIt() {
      return subject.type != null && isDue(clock.getAsLong());
    }

    private boolean isDue(long now) {
      return count > 0 && now - said >= INTERVAL.toNanos();
    }

    /**
     * @param running the processes that are running, or null if that is not known
     */
    private synchronized void report(boolean all, @Nullable List<RunningProcess> running) {
      long now = clock.getAsLong();
      if (count == 0 || (!all && !isDue(now))) {
        return;
      }
      String code = subject.reason.code();
      if (running != null && subject.type != null) {
        reportHandler(subject.type, running);
      } else if (count == 1) {
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

    private void reportHandler(String type, List<RunningProcess> running) {
      Optional<String> handler =
          running.stream()
              .map(RunningProcess::info)
              .filter(it -> it.handles(subject.endpoint, type))
              .map(ProcessInfo::name)
              .findFirst();
      if (handler.isPresent()) {
        String name = handler.get();
        log.info(ELSEWHERE, count, subject.endpoint, ForeignText.oneLine(type), name);
      } else {
        log.warn(NOBODY, count, subject.endpoint, lastDetail, lastId);
      }
    }
  }
}
