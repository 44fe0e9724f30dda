package io.inbox4j.processor;

import io.inbox4j.internal.Endless;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.internal.Seldom;
import io.inbox4j.processor.LeasedClaims.Loner;
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
 * <p>A message whose lease has ended was in hand when a process died: a suspect. That suspects are
 * about to run is noted when they are leased, so one that kills its process is found out. Those
 * whose process dies once more are kept apart from all other suspects, so that only they, and
 * others that nothing is held against, are in hand if it dies again. The last attempt before such a
 * message is given up on it has alone, so that it does not die for what another message did.
 */
final class LeasedCrew implements Crew {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);
  private static final Duration BACKOFF = Duration.ofMillis(500);
  private static final Duration GLANCE = Duration.ofMillis(10);
  private static final Duration MAX_ALONE = Duration.ofMinutes(5);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final int COMMITS_AHEAD = 2;

  private final Workload workload;
  private final HandlingMode.Leased mode;
  private final Handlers handlers;
  private final Outcomes told;
  private final Signal signal;
  private final Gate gate;
  private final Places places;
  private final Quiet quiet;
  private final LeaseKeeper keeper;
  private final LeasedClaims claims;
  private final LeasedOutcomes outcomes;
  private final Seldom blockages = new Seldom(REPORT_EVERY);
  private final Thread claimer;
  private final ExecutorService executor;
  private volatile boolean waitsForCommits;
  private volatile boolean stopping;
  private volatile boolean interrupting;

  LeasedCrew(
      Workload workload,
      HandlingMode.Leased mode,
      Handlers handlers,
      InboxStore store,
      SafeListener listener,
      Signal signal,
      Gate gate,
      Outcomes told) {
    this.workload = workload;
    this.mode = mode;
    this.handlers = handlers;
    this.signal = signal;
    this.gate = gate;
    this.places = new Places(workload.workers(), workload.batchSize(), signal);
    this.quiet = new Quiet(signal);
    this.keeper =
        new LeaseKeeper(workload.endpoint(), mode.lease(), store, this::lost, signal::raise);
    this.told = told;
    this.claims = new LeasedClaims(workload, mode.lease(), store, gate, told);
    this.outcomes =
        new LeasedOutcomes(workload, store, listener, signal, keeper, told, this::committed);
    this.claimer = new Thread(this::claimAll, "inbox-claimer-" + workload.endpoint());
    this.executor = HandlerThreads.named("inbox-handler-" + workload.endpoint());
  }

  @Override
  public void start() {
    keeper.start();
    outcomes.start();
    claimer.start();
  }

  @Override
  public int size() {
    return places.size();
  }

  @Override
  public int alive() {
    return claimer.isAlive() && outcomes.isAlive() ? places.usable() : 0;
  }

  @Override
  public StuckHandlers stuck() {
    return places.stuck();
  }

  @Override
  public void resize(int size) {
    places.resize(size);
  }

  private void claimAll() {
    new Endless("Claiming of " + workload.endpoint(), () -> stopping, this::claimOrWait).run();
    keeper.giveBack(places.takeWaiting());
  }

  private void claimOrWait() throws InterruptedException {
    try {
      if (!claimSome()) {
        signal.await(workload.pollInterval());
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
    if (places.isBlocked()) {
      giveBackWaiting();
    }
    int room = room();
    if (room < places.worthClaiming()) {
      return false;
    }
    waitsForCommits = false;
    boolean some = run(claims.claim(room, !keeper.holdsLoner(), mostInHand()));
    Loner loner = nextLoner();
    if (loner != null) {
      some |= loner.last() ? runAlone(loner) : run(claims.claimLoner(loner));
    }
    return some || claims.looksFurther();
  }

  /** A message to be kept apart from other suspects that the last claim saw and that may begin. */
  private @Nullable Loner nextLoner() {
    return keeper.holdsSuspects() || gate.circuit().state() != CircuitState.CLOSED
        ? null
        : claims.nextLoner(keeper.isEmpty() || quiet.mayBegin());
  }

  /**
   * How many messages could be claimed now. Those whose outcome is not committed are in hand, too,
   * and there are no more of them than fit into two commits: the one that is being made and the
   * next. So handlers never run far ahead of the database.
   */
  private int room() {
    return Math.min(places.room(), mostInHand() - keeper.size());
  }

  private int mostInHand() {
    return places.size() + COMMITS_AHEAD * workload.batchSize();
  }

  /** Nothing that waits would begin soon, and other processes may have places for it. */
  private void giveBackWaiting() {
    List<Leased> waiting = places.takeWaiting().stream().filter(Leased::end).toList();
    if (!waiting.isEmpty()) {
      gate.circuit().foundNothing();
      waiting.forEach(Leased::free);
      keeper.giveBack(waiting);
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
  private boolean runAlone(Loner loner) throws InterruptedException {
    boolean disturbs = !keeper.isEmpty();
    long begin = System.nanoTime();
    boolean found = isNothingInHandWithin(quiet.patience());
    boolean some = found && !stopping && run(claims.claimLoner(loner));
    if (some && !isNothingInHandWithin(MAX_ALONE) && !stopping) {
      log.warn(
          "Message {} of {} has been handled alone for {}; others go on",
          loner.sequence(),
          workload.endpoint(),
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

  private boolean run(List<Leased> leased) {
    keeper.keep(leased);
    leased.forEach(places::add);
    letRun();
    return !leased.isEmpty();
  }

  /** Starts what waits while there is a place for it. */
  private void letRun() {
    for (Leased next = places.begin(); next != null; next = places.begin()) {
      Leased one = next;
      try {
        executor.execute(() -> run(one));
      } catch (RuntimeException | Error e) { // there is no thread for it
        log.error("{} has no thread for a handler", workload.endpoint(), e);
        giveUp(one);
        return;
      }
    }
  }

  private void giveUp(Leased leased) {
    if (leased.end()) {
      gate.circuit().foundNothing();
      leased.free();
      places.abandon(leased);
      keeper.giveBack(List.of(leased));
    }
  }

  private void run(Leased leased) {
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
            MessageContext.outside(workload.endpoint(), leased.message(), leased::commitWith));
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
        places.end(leased, Duration.ofNanos(System.nanoTime() - begin));
      }
    } else {
      places.returned(leased);
    }
    letRun();
  }

  private void settle(Leased leased, boolean ran, @Nullable Throwable failure) {
    try {
      if (!ran || (interrupting && failure != null)) {
        keeper.giveBack(List.of(leased));
      } else {
        outcomes.add(leased, failure);
      }
    } catch (Throwable e) { // no memory left for it: the message is free when its lease ends
      keeper.release(leased);
      throw e;
    }
  }

  private void timedOut(Leased leased) {
    if (leased.end()) {
      log.warn(
          "{} of {} did not end within {} and is interrupted",
          leased.message().messageId(),
          workload.endpoint(),
          mode.timeout());
      outcomes.add(
          leased, new TimeoutException("the handler did not end within " + mode.timeout()));
      leased.interrupt();
      abandoned(leased);
    }
  }

  /** Somebody else has the message now: what its handler here does is for nothing. */
  private void lost(Leased leased) {
    if (leased.end()) {
      log.warn(
          "The lease of {} of {} ran out; another worker has the message, and what this one does"
              + " changes nothing",
          leased.message().messageId(),
          workload.endpoint());
      keeper.release(leased);
      gate.circuit().foundNothing();
      leased.interrupt();
      abandoned(leased);
    }
  }

  private void abandoned(Leased leased) {
    leased.free();
    places.abandon(leased);
    if (places.isBlocked()) {
      sayBlocked();
    }
    letRun();
  }

  private void sayBlocked() {
    if (blockages.next().isPresent()) {
      log.error(
          "{} handlers of {} ignore that they were interrupted; nothing is handled until one of them"
              + " returns, or the process is started again",
          places.overdue(),
          workload.endpoint());
    }
  }

  @Override
  public void stop() {
    stopping = true;
    places.stop();
  }

  @Override
  public boolean join(long until) {
    boolean ended = Joining.join(List.of(claimer), until);
    ended &= places.join(until);
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
    keeper.held().forEach(Leased::interrupt);
  }
}
