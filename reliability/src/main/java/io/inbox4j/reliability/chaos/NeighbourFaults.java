package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import io.inbox4j.testkit.PgBouncer;
import java.time.Duration;
import java.util.List;

/** What others do that share the database, or stand in front of it. */
final class NeighbourFaults {

  private static final String ROLE = "neighbour";
  private static final Duration AWHILE = Duration.ofSeconds(4);

  /** A retention job that was killed keeps its place for two minutes. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private NeighbourFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "a second service keeps messages for a shorter time",
            "it removes its own only; what comes again is a duplicate",
            "messages made two hours old, its retention job keeps one hour, 300 published again",
            scene -> {
              letIn(scene);
              Walker neighbour = scene.startBeside(Walker.Kind.neighbour(ROLE));
              try {
                makeOld(scene);
                if (!Quiet.await(PATIENCE, neighbour::tidies)) {
                  throw new IllegalStateException("the neighbour's retention job cannot run");
                }
              } finally {
                neighbour.end();
                neighbour.close();
              }
              return new Hit(scene.publisher.repeat(300), "messages repeated");
            }),
        new Fault(
                "a worker comes by way of PgBouncer",
                "it works as the others do; the retention jobs of all can run",
                "transaction mode, sessions shared, for 4 s",
                NeighbourFaults::bounce)
            .onlyIf(scene -> PgBouncer.isPossible()));
  }

  /** A role that may do everything with the tables, and does not own them. */
  private static void letIn(Scene scene) {
    if (scene.tables.count("SELECT count(*) FROM pg_roles WHERE rolname = '" + ROLE + "'") == 0) {
      scene.tables.execute("CREATE ROLE " + ROLE + " LOGIN");
    }
    scene.tables.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO " + ROLE);
    scene.tables.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO " + ROLE);
  }

  private static void makeOld(Scene scene) {
    scene
        .tables
        .jdbi()
        .useTransaction(
            handle -> {
              handle.execute(
                  "UPDATE inbox_messages m SET received_on_utc = received_on_utc - interval '2 h'"
                      + " FROM inbox_processed p WHERE p.seq = m.seq"
                      + " AND p.processed_on_utc > now() - interval '1 h'");
              handle.execute(
                  "UPDATE inbox_processed SET processed_on_utc = processed_on_utc - interval '2 h'"
                      + " WHERE processed_on_utc > now() - interval '1 h'");
            });
  }

  private static Hit bounce(Scene scene) throws Exception {
    Walker usual = scene.someWorker();
    usual.end();
    try (PgBouncer bouncer = PgBouncer.start(scene.toPostgres.port())) {
      Walker odd = scene.replace(usual, Walker.Kind.by(bouncer::jdbcUrl));
      odd.awaitStart();
      Scene.AtWork atWork = scene.caughtAtWork(() -> odd);
      odd.process().cont();
      long until = System.nanoTime() + AWHILE.toNanos();
      while (System.nanoTime() < until) {
        scene.feed();
        odd.tidies();
      }
      for (Walker walker : List.of(odd, scene.veterans().get(1))) {
        if (!Quiet.await(PATIENCE, walker::tidies)) {
          throw new IllegalStateException(
              "a retention job has kept the others out for " + PATIENCE);
        }
      }
      odd.end();
      scene.replace(odd);
      return atWork.hit();
    }
  }
}
