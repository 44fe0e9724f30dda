package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.history.Checker;
import io.inbox4j.reliability.history.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Publishes messages to real processes on real servers while faults strike, waits until everything
 * has come to rest, and lets the checker look for what is lost, doubled, unexpected, out of order
 * or stuck.
 */
public final class Chaos {

  private static final Duration TO_REST = Duration.ofMinutes(3);
  private static final Duration IN_FLIGHT = Duration.ofSeconds(20);

  private final Scene scene;
  private final int messages;
  private final List<Fault> faults;
  private final List<Strike> strikes = new ArrayList<>();
  private final Semaphore mayPublish = new Semaphore(0);

  /**
   * A fault that has struck.
   *
   * @param inHand how many transactions and leases were in hand when it did
   * @param pending how many messages waited
   */
  public record Strike(String what, String how, long inHand, long pending, Duration took) {}

  /** How a run has ended. */
  public record Outcome(
      Verdict verdict, List<Strike> strikes, long confirmed, long handled, long dead) {}

  private Chaos(Scene scene, int messages, List<Fault> faults) {
    this.scene = scene;
    this.messages = messages;
    this.faults = faults;
  }

  /** Runs with this many messages and faults, the same ones for the same seed. */
  public static Outcome run(int messages, int faults, long seed) throws Exception {
    try (Scene scene = new Scene(seed)) {
      scene.start();
      return new Chaos(scene, messages, chosen(faults, seed)).run();
    }
  }

  /** Every kind of fault in turn, in an order that depends on the seed. */
  private static List<Fault> chosen(int count, long seed) {
    Random random = new Random(seed);
    List<Fault> all = new ArrayList<>();
    while (all.size() < count) {
      List<Fault> round = new ArrayList<>(List.of(Fault.values()));
      Collections.shuffle(round, random);
      all.addAll(round);
    }
    return all.subList(0, count);
  }

  private Outcome run() throws Exception {
    Thread publishing = new Thread(this::publishAll, "publisher");
    publishing.start();
    for (int i = 0; i < faults.size(); i++) {
      strike(i, faults.get(i));
    }
    mayPublish.release(messages);
    publishing.join();
    scene.publisher.awaitConfirms();
    boolean rests = Quiet.await(TO_REST, this::isAtRest);
    System.out.printf("all published, %s%n", rests ? "everything is at rest" : "it does not rest");
    Verdict verdict = Checker.check(scene.tables.history(scene.publisher.history()));
    return new Outcome(
        verdict,
        strikes,
        scene.publisher.confirmed(),
        scene.tables.count("SELECT count(*) FROM effects"),
        scene.tables.count("SELECT count(*) FROM inbox_dead"));
  }

  private boolean isAtRest() throws Exception {
    return Quiet.areEmpty(scene.rabbit, Walks.queues())
        && scene.tables.stored() >= scene.publisher.confirmed()
        && scene.tables.pending() == 0;
  }

  private void publishAll() {
    try {
      for (int i = 0; i < messages; i++) {
        mayPublish.acquire();
        scene.publisher.publishNext();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets some messages be published, and strikes while they are on their way. */
  private void strike(int number, Fault fault) throws Exception {
    mayPublish.release(messages / (faults.size() + 1));
    Quiet.await(IN_FLIGHT, () -> scene.tables.inHand() > 0 && scene.tables.pending() > 0);
    long inHand = scene.tables.inHand();
    long pending = scene.tables.pending();
    long begin = System.nanoTime();
    fault.strike(scene);
    scene.ended().forEach(scene::replace);
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    strikes.add(new Strike(fault.what(), fault.how(), inHand, pending, took));
    System.out.printf(
        "%3d/%d  %-50s %,7d published, %3d in hand, %,6d waiting, %.1f s%n",
        number + 1,
        faults.size(),
        fault.what(),
        scene.publisher.published(),
        inHand,
        pending,
        took.toMillis() / 1e3);
  }
}
