package io.inbox4j.internal.lease;

import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.endpoint.HandlingMode;
import io.inbox4j.internal.lease.LeaseClaimer.IsolatedMessage;
import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.internal.pool.StuckHandlers;
import io.inbox4j.internal.pool.WorkerPool;
import io.inbox4j.internal.run.WorkerContext;
import io.inbox4j.retry.CircuitState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker pool that handles messages outside any transaction, many concurrently on few
 * connections.
 *
 * <p>One thread claims and leases messages, handlers run on threads of their own, another thread
 * commits the outcomes, and a third renews the leases meanwhile. Every lease has a fencing token:
 * an outcome whose token is no longer the message's changes nothing.
 *
 * <p>A message whose lease has expired was in flight when a process died: it is orphaned. Orphaned
 * messages are marked as a crash risk when they are leased, so one that crashes its process is
 * identified. Those whose process dies again are isolated from all other orphaned messages, so that
 * only they and messages that are not orphaned are in flight if it dies once more. The last attempt
 * before such a message is given up on runs alone, so that it does not become dead because of
 * another message.
 */
public final class LeasedWorkerPool implements WorkerPool {

  private static final Logger log = LoggerFactory.getLogger(LeasedWorkerPool.class);
  private static final Duration BACKOFF = Duration.ofMillis(500);
  private static final Duration GLANCE = Duration.ofMillis(10);
  private static final Duration MAX_ALONE = Duration.ofMinutes(5);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final int COMMITS_AHEAD = 2;

  private final WorkerContext context;
  private final HandlingMode.Leased mode;
  private final HandlerSlots slots;
  private final IsolationPauses quiet;
  private final LeaseRenewer renewer;
  private final LeaseClaimer claims;
  private final OutcomeCommitter committer;
  private final LogRateLimit blockages = new LogRateLimit(REPORT_EVERY);
  private final Thread claimer;
  private final ExecutorService executor;
  private volatile boolean waitsForCommits;
  private volatile boolean stopping;
  private volatile boolean interrupting;

  public LeasedWorkerPool(WorkerContext context, HandlingMode.Leased mode) {
    this.context = context;
    this.mode = mode;
    this.slots =
        new HandlerSlots(
            context.config().workers(), context.config().batchSize(), context.signal());
    this.quiet = new IsolationPauses(context.signal());
    this.renewer =
        new LeaseRenewer(
            context.endpoint(), mode.lease(), context.store(), this::lost, context.signal()::raise);
    this.claims = new LeaseClaimer(context, mode.lease());
    this.committer = new OutcomeCommitter(context, renewer, this::committed);
    this.claimer = new Thread(this::claimAll, "inbox-claimer-" + context.endpoint());
    this.executor = HandlerThreads.named("inbox-handler-" + context.endpoint());
  }

  @Override
  public void start() {
    renewer.start();
    committer.start();
    claimer.start();
  }

  @Override
  public int size() {
    return slots.size();
  }

  @Override
  public int alive() {
    return claimer.isAlive() && committer.isAlive() ? slots.usable() : 0;
  }

  @Override
  public StuckHandlers stuck() {
    return slots.stuck();
  }

  @Override
  public void resize(int size) {
    slots.resize(size);
  }

  private void claimAll() {
    new ResilientLoop("Claiming of " + context.endpoint(), () -> stopping, this::claimOrWait).run();
    renewer.release(slots.takeWaiting());
  }

  private void claimOrWait() throws InterruptedException {
    try {
      if (!claimSome()) {
        context.signal().await(context.config().pollInterval());
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) { // from the database: it is reported, and transient
      rest(e);
    }
  }

  private void rest(Throwable cause) throws InterruptedException {
    if (stopping) {
      return;
    }
    context.outcomes().interrupted("Claiming", BACKOFF, cause);
    context.signal().pause(BACKOFF);
  }

  /** Claims as many messages as there is room for and runs them; returns whether there were any. */
  private boolean claimSome() throws InterruptedException {
    waitsForCommits = true;
    if (slots.isBlocked()) {
      giveBackWaiting();
    }
    int room = room();
    if (room < slots.worthClaiming()) {
      return false;
    }
    waitsForCommits = false;
    boolean some = run(claims.claim(room, !renewer.holdsIsolated(), maxInFlight()));
    IsolatedMessage isolatedMessage = nextIsolated();
    if (isolatedMessage != null) {
      some |=
          isolatedMessage.last()
              ? runAlone(isolatedMessage)
              : run(claims.claimIsolated(isolatedMessage));
    }
    return some || claims.looksFurther();
  }

  /** An isolated message that the last claim saw and that may begin now, or null. */
  private @Nullable IsolatedMessage nextIsolated() {
    return renewer.holdsOrphans() || context.circuit().state() != CircuitState.CLOSED
        ? null
        : claims.nextIsolated(renewer.isEmpty() || quiet.mayBegin());
  }

  /**
   * How many messages could be claimed now. Messages without a committed outcome are in flight,
   * too, and limited to what fits into two commits: the current one and the next. This backpressure
   * keeps handlers from running far ahead of the database.
   */
  private int room() {
    return Math.min(slots.room(), maxInFlight() - renewer.size());
  }

  private int maxInFlight() {
    return slots.size() + COMMITS_AHEAD * context.config().batchSize();
  }

  /**
   * Releases waiting messages, because none would begin soon and other processes may have free
   * slots.
   */
  private void giveBackWaiting() {
    List<InFlightMessage> waiting =
        slots.takeWaiting().stream().filter(InFlightMessage::end).toList();
    if (!waiting.isEmpty()) {
      context.circuit().foundNothing();
      waiting.forEach(InFlightMessage::free);
      renewer.release(waiting);
    }
  }

  private void committed() {
    if (waitsForCommits) {
      context.signal().raise();
    }
  }

  /**
   * Runs a message on its last attempt while nothing else runs or commits. It is leased only then,
   * so that it is not charged for a crash that another message caused. If messages in flight do not
   * finish soon, others continue, and it is tried again later.
   *
   * @return whether there may be more work already
   */
  private boolean runAlone(IsolatedMessage isolatedMessage) throws InterruptedException {
    boolean disturbs = !renewer.isEmpty();
    long begin = System.nanoTime();
    boolean found = isNothingInFlightWithin(quiet.patience());
    boolean some = found && !stopping && run(claims.claimIsolated(isolatedMessage));
    if (some && !isNothingInFlightWithin(MAX_ALONE) && !stopping) {
      log.warn(
          "Message {} of {} has been handled alone for {}; others go on",
          isolatedMessage.sequence(),
          context.endpoint(),
          MAX_ALONE);
    }
    if (disturbs) {
      quiet.ended(Duration.ofNanos(System.nanoTime() - begin), found);
    }
    return some || !found;
  }

  private boolean isNothingInFlightWithin(Duration time) throws InterruptedException {
    Deadline deadline = Deadline.in(time);
    while (!renewer.isEmpty() && !stopping && !deadline.hasPassed()) {
      context.signal().pause(GLANCE);
    }
    return renewer.isEmpty();
  }

  private boolean run(List<InFlightMessage> leased) {
    renewer.keep(leased);
    leased.forEach(slots::add);
    letRun();
    return !leased.isEmpty();
  }

  /** Starts waiting messages while there are free slots. */
  private void letRun() {
    for (InFlightMessage next = slots.begin(); next != null; next = slots.begin()) {
      InFlightMessage one = next;
      try {
        executor.execute(() -> run(one));
      } catch (RuntimeException | Error e) { // no thread could be created
        log.error("{} has no thread for a handler", context.endpoint(), e);
        giveUp(one);
        return;
      }
    }
  }

  private void giveUp(InFlightMessage leased) {
    if (leased.end()) {
      context.circuit().foundNothing();
      leased.free();
      slots.abandon(leased);
      renewer.release(List.of(leased));
    }
  }

  private void run(InFlightMessage leased) {
    long begin = System.nanoTime();
    Throwable failure = null;
    boolean ran = false;
    try {
      if (leased.begin() && !interrupting) {
        ran = true;
        if (mode.timeout() != null) {
          leased.timesOut(renewer.after(mode.timeout(), () -> timedOut(leased)));
        }
        context.handlers().handle(leased.message(), leased::commitWith);
      }
    } catch (Throwable e) { // a handler may throw anything, and it is recorded
      failure = FailureText.readable(e);
    } finally {
      leased.leave();
    }
    leased.free();
    if (leased.end()) {
      try {
        settle(leased, ran, failure);
      } finally {
        slots.end(leased, Duration.ofNanos(System.nanoTime() - begin));
      }
    } else {
      slots.returned(leased);
    }
    letRun();
  }

  private void settle(InFlightMessage leased, boolean ran, @Nullable Throwable failure) {
    try {
      if (!ran || (interrupting && failure != null)) {
        renewer.release(List.of(leased));
      } else {
        committer.add(leased, failure);
      }
    } catch (Throwable e) { // out of memory, say: the message is due again when its lease expires
      renewer.release(leased);
      throw e;
    }
  }

  private void timedOut(InFlightMessage leased) {
    if (leased.end()) {
      log.warn(
          "{} of {} did not end within {} and is interrupted",
          leased.message().messageId(),
          context.endpoint(),
          mode.timeout());
      committer.add(
          leased, new TimeoutException("the handler did not end within " + mode.timeout()));
      leased.interrupt();
      abandoned(leased);
    }
  }

  /** Abandons a message that another worker has claimed: its outcome here would be fenced off. */
  private void lost(InFlightMessage leased) {
    if (leased.end()) {
      log.warn(
          "The lease of {} of {} ran out; another worker has the message, and what this one does"
              + " changes nothing",
          leased.message().messageId(),
          context.endpoint());
      renewer.release(leased);
      context.circuit().foundNothing();
      leased.interrupt();
      abandoned(leased);
    }
  }

  private void abandoned(InFlightMessage leased) {
    leased.free();
    slots.abandon(leased);
    if (slots.isBlocked()) {
      sayBlocked();
    }
    letRun();
  }

  private void sayBlocked() {
    if (blockages.next().isPresent()) {
      log.error(
          "{} handlers of {} ignore that they were interrupted; nothing is handled until one of them"
              + " returns, or the process is started again",
          slots.overdue(),
          context.endpoint());
    }
  }

  @Override
  public void stop() {
    stopping = true;
    slots.stop();
  }

  @Override
  public boolean join(Deadline deadline) {
    boolean ended = deadline.join(claimer);
    ended &= slots.join(deadline);
    if (ended || interrupting) {
      committer.stop();
      ended &= committer.join(deadline);
    }
    if (ended || interrupting) {
      committer.abandon(deadline);
      renewer.stop();
      executor.shutdown();
    }
    return ended;
  }

  @Override
  public void interrupt() {
    interrupting = true;
    claimer.interrupt();
    renewer.held().forEach(InFlightMessage::interrupt);
  }
}
