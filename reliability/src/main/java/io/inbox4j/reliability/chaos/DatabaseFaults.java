package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import io.inbox4j.testkit.PostgresServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** What happens to PostgreSQL, and on the way to it. */
final class DatabaseFaults {

  /** It takes some looks to see a commit, even one that lasts. */
  private static final Duration TO_CATCH_COMMITS = Duration.ofSeconds(10);

  private DatabaseFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "PostgreSQL crashes",
            "transactions roll back; deliveries are held until it is there again",
            "`kill -9` of all its processes, then crash recovery",
            scene -> {
              return scene.inFlight(
                  () -> {
                    scene.postgres.kill9();
                    scene.postgres.restart();
                  });
            }),
        new Fault(
            "PostgreSQL is away for longer than the broker waits",
            "receivers stop consuming until it is there again, so that nothing is dead-lettered",
            "20 s, `consumer_timeout` of 2 s, delivery limit of 3",
            LongOutage::strike),
        new Fault(
            "PostgreSQL restarts",
            "transactions roll back; deliveries are held until it is there again",
            "a fast shutdown, then a start",
            scene -> scene.inFlight(() -> scene.postgres.restart())),
        new Fault(
            "the standby is promoted",
            "transactions roll back; everybody goes on with the new primary",
            "primary killed with `kill -9`, `pg_promote()`",
            scene -> {
              PostgresServer standby = scene.postgres.startStandby();
              PostgresServer primary = scene.postgres;
              Hit hit =
                  scene.inFlight(
                      () -> {
                        primary.kill9();
                        standby.promote();
                        scene.postgres = standby;
                      });
              primary.close();
              return hit;
            }),
        new Fault(
            "all database sessions of the inbox end",
            "transactions roll back and are done again",
            "`pg_terminate_backend`",
            scene ->
                scene.inFlight(
                    () ->
                        scene.tables.count(
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                                + Tables.OF_THE_INBOX))),
        new Fault(
            "sessions end while they commit",
            "whatever has taken place is not done again",
            "`pg_terminate_backend` of those in COMMIT, or that write the log",
            scene -> {
              scene.awaitWork(); // after a fault of the broker it may be long in coming
              return new Hit(terminateCommitting(scene), "sessions that commit");
            }),
        new Fault(
            "the answer to a COMMIT is lost",
            "it has taken place, and is not done again",
            "a proxy that resets the connection instead",
            scene -> {
              scene.toPostgres.dropCommitAnswers(10);
              for (int i = 0; i < 5; i++) {
                scene.feed();
                Thread.sleep(200);
              }
              return new Hit(scene.toPostgres.passCommitAnswers(), "answers");
            }),
        new Fault(
            "connections to the database are half open",
            "time-outs at both ends notice; transactions roll back and are done again",
            "a proxy that falls silent",
            scene -> scene.inFlight(() -> scene.toPostgres.silence())),
        new Fault(
            "connections to the database break",
            "transactions roll back and are done again",
            "a proxy that resets them",
            scene -> scene.inFlight(() -> scene.toPostgres.cut())),
        new Fault(
            "the database is read-only",
            "deliveries are held, no attempt is used up",
            "`default_transaction_read_only`, 2 s",
            scene -> refused(scene, "default_transaction_read_only", "on", "off")),
        new Fault(
            "statements time out",
            "done again, no attempt of the store's is used up",
            "`statement_timeout` of 2 ms, 2 s",
            scene -> refused(scene, "statement_timeout", "2ms", "0")),
        new Fault(
            "transactions time out",
            "transactions roll back and are done again",
            "`transaction_timeout` of 20 ms, 2 s",
            scene -> refused(scene, "transaction_timeout", "20ms", "0")),
        new Fault(
            "transactions are serializable",
            "what cannot be serialized is done again",
            "`default_transaction_isolation`, 3 s",
            scene ->
                refused(scene, "default_transaction_isolation", "serializable", "read committed")),
        new Fault(
            "somebody locks a table",
            "everybody waits",
            "`LOCK TABLE inbox_pending`, 2 s",
            scene -> {
              return scene.inFlight(
                  () ->
                      scene
                          .tables
                          .jdbi()
                          .useTransaction(
                              handle -> {
                                handle.execute("LOCK TABLE inbox_pending IN ACCESS EXCLUSIVE MODE");
                                handle.execute("SELECT pg_sleep(2)");
                              }));
            }),
        new Fault(
            "the tables are missing",
            "deliveries are held; nothing is put into quarantine",
            "`ALTER TABLE inbox_pending RENAME`, 2 s",
            scene -> {
              return scene.inFlight(
                  () -> {
                    scene.tables.execute("ALTER TABLE inbox_pending RENAME TO inbox_gone");
                    Thread.sleep(2_000);
                    scene.tables.execute("ALTER TABLE inbox_gone RENAME TO inbox_pending");
                  });
            }),
        new Fault(
            "the tables are newer than the program",
            "it warns, and works",
            "a column and a version more; a worker starts",
            scene -> {
              scene.tables.execute("ALTER TABLE inbox_pending ADD COLUMN of_the_future text");
              scene.tables.execute(
                  "INSERT INTO inbox_migrations (version, description) VALUES (99, 'of the future')");
              try {
                Scene.AtWork victim = scene.caughtAtWork(scene::someWorker);
                victim.walker().process().kill9();
                Walker next = scene.replace(victim.walker());
                next.awaitStart();
                return victim.hit();
              } finally {
                scene.tables.execute("ALTER TABLE inbox_pending DROP COLUMN of_the_future");
                scene.tables.execute("DELETE FROM inbox_migrations WHERE version = 99");
              }
            }),
        new Fault(
            "the server takes no more connections",
            "everybody waits for a connection; deliveries are held",
            "`max_connections` reached, sessions ended, 3 s",
            scene -> scene.inFlight(() -> crowdOut(scene))),
        new Fault(
                "the disk of the database is full",
                "deliveries are held until there is room; PostgreSQL may crash and recover",
                "the file system shrunk to what is used, 3 s",
                scene -> {
                  return scene.inFlight(
                      () -> {
                        scene.disk.fill();
                        for (int i = 0; i < 15; i++) {
                          scene.feed();
                          Thread.sleep(200);
                        }
                        scene.disk.free();
                        if (!scene.postgres.isRunning()) {
                          scene.postgres.restart();
                        }
                      });
                })
            .onlyIf(scene -> scene.disk.isOurs()),
        new Fault(
            "an operator pauses all endpoints",
            "messages are stored and wait",
            "rows in `inbox_paused`, 1 s",
            scene -> {
              return scene.inFlight(
                  () -> {
                    scene.tables.execute(
                        "INSERT INTO inbox_paused (endpoint, paused_by, reason)"
                            + " SELECT DISTINCT endpoint, 'chaos', 'to see' FROM inbox_pending");
                    Thread.sleep(1_000);
                    scene.tables.execute("DELETE FROM inbox_paused");
                  });
            }));
  }

  /** Takes every connection that the server has, then sends the inbox to queue for one. */
  private static void crowdOut(Scene scene) throws Exception {
    List<Connection> crowd = new ArrayList<>();
    try (Handle inside = scene.tables.jdbi().open()) {
      for (int round = 0; round < 3; round++) {
        inside.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE " + Tables.OF_THE_INBOX);
        try {
          while (true) {
            crowd.add(scene.connect());
          }
        } catch (java.sql.SQLException full) {
          Thread.sleep(1_000);
        }
      }
    } finally {
      for (Connection connection : crowd) {
        connection.close();
      }
    }
  }

  /** Ends some sessions in the middle of their commits, which are made to last. */
  private static long terminateCommitting(Scene scene) throws Exception {
    configure(scene, "commit_siblings", "0");
    configure(scene, "commit_delay", "20000");
    try {
      long hit = 0;
      long until = System.nanoTime() + TO_CATCH_COMMITS.toNanos();
      for (int i = 0; hit < 3 && System.nanoTime() < until; i++) {
        hit +=
            scene.tables.count(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state ="
                    + " 'active' AND (query = 'COMMIT' OR lower(wait_event) IN ('walsync',"
                    + " 'walwrite')) AND "
                    + Tables.OF_THE_INBOX);
        if (i % 20 == 0) {
          scene.feed();
        }
      }
      return hit;
    } finally {
      configure(scene, "commit_delay", "0");
    }
  }

  /** Lets a setting refuse the work of all sessions for a while. */
  private static Hit refused(Scene scene, String setting, String bad, String good)
      throws Exception {
    return scene.inFlight(
        () -> {
          configure(scene, setting, bad);
          for (int i = 0; i < 10; i++) {
            scene.feed();
            Thread.sleep(200);
          }
          configure(scene, setting, good);
        });
  }

  /** Changes a setting for all sessions. */
  private static void configure(Scene scene, String setting, String value) {
    try (Handle handle = scene.tables.jdbi().open()) {
      handle.execute("ALTER SYSTEM SET " + setting + " = '" + value + "'");
      handle.execute("SELECT pg_reload_conf()");
    }
  }
}
