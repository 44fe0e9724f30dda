package io.inbox4j.internal.lease;

import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.endpoint.HandlingMode;
import io.inbox4j.internal.lease.LeaseClaimer.IsolatedMessage;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.pool.StuckHandlers;
import io.inbox4j.internal.pool.ThreadJoin;
import io.inbox4j.internal.pool.WorkerPool;
import io.inbox4j.internal.run.DefaultEventContext;
import io.inbox4j.internal.run.HandlerInvoker;
import io.inbox4j.internal.run.OutcomeReporter;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.store.InboxStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles messages outside any transaction, many at once on few connections.
 *
 * <p>One thread claims and leases messages, handlers run on threads of their own, another thread
 * commits what became of them, and a third renews the leases meanwhile. Every lease has a token: an
 * outcome that comes with a token that is not the message's any more changes nothing.
 *
 * <p>A message whose lease has ended was in hand when a process died: an orphan. That orphans are
 * about to run is noted when they are leased, so one that kills its process is found out. Those
 * whose process dies once more are kept apart from all other orphans, so that only they, and others
 * that nothing is held against, are in hand if it dies again. The last attempt before such a
 * message is given up on it has alone, so that it does not die for what another message did.
 */
public final class LeasedWorkerPool implements WorkerPool {

  private static final Logger log = LoggerFactory.getLogger(LeasedWorkerPool.class);
  private static final Duration BACKOFF = Duration.ofMillis(500);
  private static final Duration GLANCE = Duration.ofMillis(10);
  private static final Duration MAX_ALONE = Duration.ofMinutes(5);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final int COMMITS_AHEAD = 2;

  private final EndpointConfig config;
  private final HandlingMode.Leased mode;
  private final HandlerInvoker handlers;
  private final OutcomeReporter told;
  private final WorkSignal signal;
  private final AdmissionControl admissionControl;
  private final HandlerSlots slots;
  private final IsolationPauses quiet;
  private final LeaseRenewer keeper;
  private final LeaseClaimer claims;
  private final OutcomeCommitter outcomes;
  private final LogRateLimit blockages = new LogRateLimit(REPORT_EVERY);
  private final Thread claimer;
  private final ExecutorService executor;
  private volatile boolean waitsForCommits;
  private volatile boolean stopping;
  private volatile boolean interrupting;

  public LeasedWorkerPool(
      EndpointConfig config,
      HandlingMode.Leased mode,
      HandlerInvoker handlers,
      InboxStore store,
      SafeListener listener,
      WorkSignal signal,
      AdmissionControl admissionControl,
      OutcomeReporter told) {
    this.config = config;
    this.mode = mode;
    this.handlers = handlers;
    this.signal = signal;
    this.admissionControl = admissionControl;
    this.slots = new HandlerSlots(config.workers(), config.batchSize(), signal);
    this.quiet = new IsolationPauses(signal);
    this.keeper =
        new LeaseRenewer(config.endpoint(), mode.lease(), store, this::lost, signal::raise);
    this.told = told;
    this.claims = new LeaseClaimer(config, mode.lease(), store, admissionControl, told);
    this.outcomes =
        new OutcomeCommitter(config, store, listener, signal, keeper, told, this::committed);
    this.claimer = new Thread(this::claimAll, "inbox-claimer-" + config.endpoint());
    this.executor = HandlerThreads.named("inbox-handler-" + config.endpoint());
  }

  @Override
  public void start() {
    keeper.start();
    outcomes.start();
    claimer.start();
  }

  @Override
  public int size() {
    return slots.size();
  }

  @Override
  public int alive() {
    return claimer.isAlive() && outcomes.isAlive() ? slots.usable() : 0;
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
    new ResilientLoop("Claiming of " + config.endpoint(), () -> stopping, this::claimOrWait).run();
    keeper.release(slots.takeWaiting());
  }

  private void claimOrWait() throws InterruptedException {
    try {
      if (!claimSome()) {
        signal.await(config.pollInterval());
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) { // of the database: it is told, and passes
      rest(e);
    }
  }

  private void rest(Throwable cause) throws InterruptedException {
    if (stopping) {
      return;
    }
    told.interrupted("Claiming", BACKOFF, cause);
    signal.pause(BACKOFF);
  }

  /** Claims as much as there is room for, and lets it run; whether there was anything. */
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
    boolean some = run(claims.claim(room, !keeper.holdsIsolated(), mostInHand()));
    IsolatedMessage isolatedMessage = nextIsolated();
    if (isolatedMessage != null) {
      some |=
          isolatedMessage.last()
              ? runAlone(isolatedMessage)
              : run(claims.claimIsolated(isolatedMessage));
    }
    return some || claims.looksFurther();
  }

  /** A message to be kept apart from other orphans that the last claim saw and that may begin. */
  private @Nullable IsolatedMessage nextIsolated() {
    return keeper.holdsOrphans() || admissionControl.circuit().state() != CircuitState.CLOSED
        ? null
        : claims.nextIsolated(keeper.isEmpty() || quiet.mayBegin());
  }

  /**
   * How many messages could be claimed now. Those whose outcome is not committed are in hand, too,
   * and there are no more of them than fit into two commits: the one that is being made and the
   * next. So handlers never run far ahead of the database.
   */
  private int room() {
    return Math.min(slots.room(), mostInHand() - keeper.size());
  }

  private int mostInHand() {
    return slots.size() + COMMITS_AHEAD * config.batchSize();
  }

  /** Nothing that waits would begin soon, and other processes may have places for it. */
  private void giveBackWaiting() {
    List<InFlightMessage> waiting =
        slots.takeWaiting().stream().filter(InFlightMessage::end).toList();
    if (!waiting.isEmpty()) {
      admissionControl.circuit().foundNothing();
      waiting.forEach(InFlightMessage::free);
      keeper.release(waiting);
    }
  }

  private void committed() {
    if (waitsForCommits) {
      signal.raise();
    }
  }

  /**
   * Runs a message that dies with the process while nothing else runs or commits. It is leased only
   * then, so that nothing is held against it that another message did. If what is in hand does not
   * come to its end soon, others go on, and it is tried again later.
   *
   * @return whether there may be more to do already
   */
  private boolean runAlone(IsolatedMessage isolatedMessage) throws InterruptedException {
    boolean disturbs = !keeper.isEmpty();
    long begin = System.nanoTime();
    boolean found = isNothingInHandWithin(quiet.patience());
    boolean some = found && !stopping && run(claims.claimIsolated(isolatedMessage));
    if (some && !isNothingInHandWithin(MAX_ALONE) && !stopping) {
      log.warn(
          "Message {} of {} has been handled alone for {}; others go on",
          isolatedMessage.sequence(),
          config.endpoint(),
          MAX_ALONE);
    }
    if (disturbs) {
      quiet.ended(Duration.ofNanos(System.nanoTime() - begin), found);
    }
    return some || !found;
  }

  private boolean isNothingInHandWithin(Duration time) throws InterruptedException {
    long until = System.nanoTime() + time.toNanos();
    while (!keeper.isEmpty() && !stopping && System.nanoTime() - until < 0) {
      signal.pause(GLANCE);
    }
    return keeper.isEmpty();
  }

  private boolean run(List<InFlightMessage> leased) {
    keeper.keep(leased);
    leased.forEach(slots::add);
    letRun();
    return !leased.isEmpty();
  }

  /** Starts what waits while there is a place for it. */
  private void letRun() {
    for (InFlightMessage next = slots.begin(); next != null; next = slots.begin()) {
      InFlightMessage one = next;
      try {
        executor.execute(() -> run(one));
      } catch (RuntimeException | Error e) { // there is no thread for it
        log.error("{} has no thread for a handler", config.endpoint(), e);
        giveUp(one);
        return;
      }
    }
  }

  private void giveUp(InFlightMessage leased) {
    if (leased.end()) {
      admissionControl.circuit().foundNothing();
      leased.free();
      slots.abandon(leased);
      keeper.release(List.of(leased));
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
          leased.timesOut(keeper.after(mode.timeout(), () -> timedOut(leased)));
        }
        handlers.handle(
            leased.message(),
            DefaultEventContext.outside(config.endpoint(), leased.message(), leased::commitWith));
      }
    } catch (Throwable e) { // a handler may throw anything, and it is set down
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
        keeper.release(List.of(leased));
      } else {
        outcomes.add(leased, failure);
      }
    } catch (Throwable e) { // no memory left for it: the message is free when its lease ends
      keeper.release(leased);
      throw e;
    }
  }

  private void timedOut(InFlightMessage leased) {
    if (leased.end()) {
      log.warn(
          "{} of {} did not end within {} and is interrupted",
          leased.message().messageId(),
          config.endpoint(),
          mode.timeout());
      outcomes.add(
          leased, new TimeoutException("the handler did not end within " + mode.timeout()));
      leased.interrupt();
      abandoned(leased);
    }
  }

  /** Somebody else has the message now: what its handler here does is for nothing. */
  private void lost(InFlightMessage leased) {
    if (leased.end()) {
      log.warn(
          "The lease of {} of {} ran out; another worker has the message, and what this one does"
              + " changes nothing",
          leased.message().messageId(),
          config.endpoint());
      keeper.release(leased);
      admissionControl.circuit().foundNothing();
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
          config.endpoint());
    }
  }

  @Override
  public void stop() {
    stopping = true;
    slots.stop();
  }

  @Override
  public boolean join(long until) {
    boolean ended = ThreadJoin.join(List.of(claimer), until);
    ended &= slots.join(until);
    if (ended || interrupting) {
      outcomes.stop();
      ended &= outcomes.join(until);
    }
    if (ended || interrupting) {
      outcomes.abandon(until);
      keeper.stop();
      executor.shutdown();
    }
    return ended;
  }

  @Override
  public void interrupt() {
    interrupting = true;
    claimer.interrupt();
    keeper.held().forEach(InFlightMessage::interrupt);
  }
}
