package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import java.util.List;

/** What handlers do to the process that runs them, when they are told to. */
final class HandlerFaults {

  private HandlerFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "a handler never returns",
            "the process ends in time all the same; the message is handled by others",
            "it sleeps for ever; then SIGTERM, deadline 10 s",
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
            "two rows updated in either order, 2 s",
            scene -> {
              long before = deadlocks(scene);
              for (Walker walker : scene.everybody()) {
                walker.process().send(Mischief.DEADLOCK.name());
              }
              for (int i = 0; i < 20; i++) {
                scene.feed();
                Thread.sleep(200);
              }
              return new Hit(deadlocks(scene) - before, "deadlocks");
            }));
  }

  private static long deadlocks(Scene scene) {
    return scene.tables.count(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }
}
