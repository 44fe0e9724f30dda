package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.history.Checker;
import io.inbox4j.reliability.history.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * Publishes messages to real processes on real servers while faults strike, waits until everything
 * has come to rest, and lets the checker look for what is lost, doubled, unexpected, out of order
 * or stuck.
 */
public final class Chaos {

  private static final Duration TO_REST = Duration.ofMinutes(5);
  private static final Duration TO_END_THREADS = Duration.ofSeconds(90);
  private static final int TRIES = 5;

  private final Plan plan;
  private final Scene scene;
  private final List<Strike> strikes = new ArrayList<>();
  private final Semaphore mayPublish = new Semaphore(0);
  private int allowed;

  /**
   * What a run is to do.
   *
   * @param messages how many are published at least; more if a fault needs them to hit something
   * @param faults how many strike
   * @param time how long it goes on at least, with more messages and faults
   * @param seed decides what is published, and which faults strike in which order
   * @param only a part of the names of those faults that strike; all of them, if it is empty
   */
  public record Plan(int messages, int faults, Duration time, long seed, String only) {}

  /** A fault that has struck, and what it has hit. */
  public record Strike(Fault fault, Fault.Hit hit, Duration took) {}

  /** What a process needed before the first fault, and after the last. */
  public record Veteran(Walker.Role role, Walker.Needs before, Walker.Needs after) {
    boolean isBack() {
      return after.isBackAt(before);
    }
  }

  /** How a run has ended. */
  public record Outcome(
      Verdict verdict,
      List<Strike> strikes,
      List<Veteran> veterans,
      long confirmed,
      long handled,
      long dead) {

    /** Whether nothing is wrong. */
    public boolean isClean() {
      return verdict.isClean() && veterans.stream().allMatch(Veteran::isBack);
    }
  }

  private Chaos(Plan plan) {
    this.plan = plan;
    this.scene = new Scene(plan.seed(), this::allow);
  }

  /** Runs a plan to its end. */
  public static Outcome run(Plan plan) throws Exception {
    Chaos chaos = new Chaos(plan);
    try (Scene scene = chaos.scene) {
      try {
        scene.start();
        return chaos.run();
      } catch (Exception | AssertionError e) {
        Snapshot.print(scene);
        throw e;
      }
    }
  }

  private Outcome run() throws Exception {
    Iterator<Fault> faults = inTurn();
    int share = plan.messages() / (plan.faults() + 2);
    long begin = System.nanoTime();
    Thread publishing = new Thread(this::publishAll, "publisher");
    publishing.setDaemon(true); // a run that fails ends
    publishing.start();
    allow(share);
    awaitRest();
    List<Walker> veterans = scene.veterans();
    List<Walker.Needs> before = veterans.stream().map(this::needs).toList();
    while (strikes.size() < plan.faults() || System.nanoTime() - begin < plan.time().toNanos()) {
      allow(Math.max(0, (strikes.size() + 2) * share - allowed));
      strike(faults.next());
    }
    allow(Math.max(0, plan.messages() - allowed));
    Quiet.await(TO_REST, () -> mayPublish.availablePermits() == 0);
    publishing.interrupt();
    publishing.join();
    scene.publisher.awaitConfirms();
    System.out.println(awaitRest() ? "everything is at rest" : "it does not come to rest");
    scene.assertNobodyEnded();
    List<Veteran> needs = new ArrayList<>();
    for (int i = 0; i < veterans.size(); i++) {
      Walker walker = veterans.get(i);
      needs.add(new Veteran(walker.role(), before.get(i), needsAtRest(walker, before.get(i))));
    }
    Verdict verdict =
        Checker.check(
            scene.tables.history(
                scene.publisher.history(), Quiet.deadLetters(scene.amqpUri(), Walks.queues())));
    if (!verdict.lost().isEmpty()) {
      System.out.println("processed without an effect: " + scene.tables.withoutEffect());
    }
    return new Outcome(
        verdict,
        strikes,
        needs,
        scene.publisher.confirmed(),
        scene.tables.count("SELECT count(*) FROM effects"),
        scene.tables.count("SELECT count(*) FROM inbox_dead"));
  }

  /** Threads that have nothing to do end after a minute. */
  private Walker.Needs needsAtRest(Walker walker, Walker.Needs before) throws InterruptedException {
    Quiet.await(TO_END_THREADS, () -> needs(walker).isBackAt(before));
    return needs(walker);
  }

  private Walker.Needs needs(Walker walker) {
    return walker.needs(scene.tables.sessions(walker.name()));
  }

  /** Every kind of fault in turn, again and again, in an order that depends on the seed. */
  private Iterator<Fault> inTurn() {
    Random random = new Random(plan.seed());
    List<Fault> possible = new ArrayList<>();
    for (Fault fault : Fault.all()) {
      if (!fault.what().contains(plan.only())) {
        continue;
      }
      if (fault.isPossible().test(scene)) {
        possible.add(fault);
      } else {
        System.out.printf("left out, this machine cannot: %s (%s)%n", fault.what(), fault.how());
      }
    }
    if (possible.isEmpty()) {
      throw new IllegalArgumentException("there is no fault with '%s'".formatted(plan.only()));
    }
    return Stream.generate(
            () -> {
              Collections.shuffle(possible, random);
              return List.copyOf(possible);
            })
        .flatMap(List::stream)
        .iterator();
  }

  /** Strikes while messages are on their way, and again if it has hit nothing. */
  private void strike(Fault fault) throws Exception {
    long begin = System.nanoTime();
    Fault.Hit hit = null;
    for (int i = 0; i < TRIES && (hit == null || hit.count() == 0); i++) {
      hit = fault.strike().at(scene);
      scene.assertNobodyEnded();
    }
    if (hit == null || hit.count() == 0) {
      throw new IllegalStateException(fault.what() + ": hit nothing");
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    strikes.add(new Strike(fault, hit, took));
    System.out.printf(
        "%tT %3d/%d  %-48s hit %-28s %,8d published, %,6d waiting, %.1f s%n",
        System.currentTimeMillis(),
        strikes.size(),
        Math.max(plan.faults(), strikes.size()),
        fault.what(),
        hit,
        scene.publisher.published(),
        scene.tables.pending(),
        took.toMillis() / 1e3);
  }

  private boolean awaitRest() throws InterruptedException {
    return Quiet.await(
        TO_REST,
        () ->
            mayPublish.availablePermits() == 0
                && scene.tables.stored() >= scene.publisher.confirmed()
                && scene.tables.pending() == 0
                && scene.rabbit.messagesIn(Walks.queues()) == 0
                && scene.tables.pending() == 0);
  }

  private void allow(int count) {
    allowed += count;
    mayPublish.release(count);
  }

  private void publishAll() {
    try {
      while (true) {
        mayPublish.acquire();
        scene.publisher.publishNext();
      }
    } catch (InterruptedException e) {
      // enough is published
    }
  }
}
