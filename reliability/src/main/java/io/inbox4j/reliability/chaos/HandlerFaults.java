package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import java.time.Duration;
import java.util.List;

/** What handlers and listeners do to the process that runs them, when they are told to. */
final class HandlerFaults {

  /** Two workers, and one that was killed and whose leases have not run out. */
  private static final long MOST_LEASED = 3L * Walks.MOST_LEASED;

  private HandlerFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "a handler never returns",
            "the process ends in time all the same; the message is handled by others",
            "it sleeps forever; then SIGTERM, deadline 10 s",
            scene -> {
              Walker walker = scene.tell(scene.someWorker(), Mischief.HANG);
              walker.end();
              scene.replace(walker);
              return new Hit(1, "handler");
            }),
        new Fault(
            "a handler kills its process",
            "the message is tried again alone, its neighbours are handled",
            "`Runtime.halt`",
            scene -> {
              Walker walker = scene.tell(scene.someWorker(), Mischief.HALT);
              walker.process().exitCode(Walker.DEADLINE);
              scene.replace(walker);
              return new Hit(1, "handler");
            }),
        new Fault(
            "handlers deadlock",
            "the loser is done again, no attempt is used up",
            "two rows updated in either order, 4 s",
            scene -> {
              long before = deadlocks(scene);
              tellAll(scene, Mischief.DEADLOCK);
              feedFor(scene, Mischief.AWHILE);
              return new Hit(deadlocks(scene) - before, "deadlocks");
            }),
        new Fault(
            "listeners throw",
            "nothing: outcomes, receiving and health go on",
            "checked exceptions and Errors from every call, connections broken meanwhile, 4 s",
            scene -> {
              long before = mischief(scene);
              tellAll(scene, Mischief.LISTENERS_THROW);
              scene.awaitWork();
              feedFor(scene, Mischief.AWHILE.dividedBy(2));
              scene.waysToRabbit().forEach(Wire::cut);
              scene.toPostgres.cut();
              feedFor(scene, Mischief.AWHILE.dividedBy(2));
              return new Hit(mischief(scene) - before, "calls that threw");
            }),
        new Fault(
            "handlers commit behind the inbox's back",
            "refused; the attempt counts as failed, and what it did is undone",
            "by `Statement.getConnection`, `getMetaData`, `unwrap` and SQL, 4 s",
            scene -> {
              long before = mischief(scene);
              tellAll(scene, Mischief.STRAY_COMMITS);
              feedFor(scene, Mischief.AWHILE);
              return new Hit(mischief(scene) - before, "commits");
            }),
        new Fault(
            "effects are slow",
            "leased handlers wait for the commits, so few messages are in flight",
            "20 ms for every effect at the commit of leased messages, 4 s",
            scene -> {
              tellAll(scene, Mischief.SLOW_EFFECTS);
              scene.publisher.publishWithoutOrder(Walks.LEASED.queue(), 2_000);
              tellAll(scene, Mischief.SLOW_EFFECTS); // publishing may have taken a while
              long most = 0;
              long until = System.nanoTime() + Mischief.AWHILE.toNanos();
              while (System.nanoTime() < until) {
                scene.feed();
                most = Math.max(most, scene.tables.leased());
                Thread.sleep(20);
              }
              if (most > MOST_LEASED) {
                throw new IllegalStateException(
                    "%d messages were leased at once; expected %d at most"
                        .formatted(most, MOST_LEASED));
              }
              return new Hit(most, "leased at once");
            }));
  }

  private static void tellAll(Scene scene, Mischief mischief) {
    scene.everybody().forEach(walker -> walker.awaitStart());
    scene.everybody().forEach(walker -> walker.process().send(mischief.name()));
  }

  private static void feedFor(Scene scene, Duration time) throws InterruptedException {
    long until = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < until) {
      scene.feed();
      Thread.sleep(50);
    }
  }

  private static long mischief(Scene scene) {
    return scene.everybody().stream().mapToLong(Walker::mischief).sum();
  }

  private static long deadlocks(Scene scene) {
    return scene.tables.count(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }
}
