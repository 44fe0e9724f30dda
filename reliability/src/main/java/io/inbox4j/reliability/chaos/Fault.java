package io.inbox4j.reliability.chaos;

import io.inbox4j.testkit.ChildProcess;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** What can go wrong around the inbox, and how it is made to. */
enum Fault {
  WORKER_KILLED("a worker is killed", "kill -9, then another one is started") {
    @Override
    void strike(Scene scene) {
      kill(scene, scene.someWorker());
    }
  },
  RECEIVER_KILLED("a receiver is killed", "kill -9, then another one is started") {
    @Override
    void strike(Scene scene) {
      kill(scene, scene.someReceiver());
    }
  },
  WORKER_FROZEN("a worker freezes past its leases and goes on", "SIGSTOP, 4 s, SIGCONT") {
    @Override
    void strike(Scene scene) throws Exception {
      freeze(scene.someWorker());
    }
  },
  RECEIVER_FROZEN("a receiver freezes and goes on", "SIGSTOP, 4 s, SIGCONT") {
    @Override
    void strike(Scene scene) throws Exception {
      freeze(scene.someReceiver());
    }
  },
  WORKER_ENDED("a worker is asked to end under load", "SIGTERM, deadline 10 s") {
    @Override
    void strike(Scene scene) {
      end(scene, scene.someWorker());
    }
  },
  RECEIVER_ENDED("a receiver is asked to end under load", "SIGTERM, deadline 10 s") {
    @Override
    void strike(Scene scene) {
      end(scene, scene.someReceiver());
    }
  },
  CONNECTIONS_CLOSED("the broker closes all connections", "rabbitmqctl close_all_connections") {
    @Override
    void strike(Scene scene) {
      scene.rabbit.closeAllConnections();
    }
  },
  BROKER_STOPPED("the broker stops and starts", "rabbitmqctl stop_app, start_app") {
    @Override
    void strike(Scene scene) {
      scene.rabbit.stopApp();
      scene.rabbit.startApp();
    }
  },
  BROKER_KILLED("the broker is killed", "kill -9 of the node, then a restart") {
    @Override
    void strike(Scene scene) {
      scene.rabbit.flush();
      scene.rabbit.kill9();
      scene.rabbit.restart();
    }
  },
  MEMORY_ALARM("the broker has a memory alarm", "rabbitmqctl set_vm_memory_high_watermark, 2 s") {
    @Override
    void strike(Scene scene) throws Exception {
      scene.rabbit.ctl("set_vm_memory_high_watermark", "0.00001");
      Thread.sleep(2_000);
      scene.rabbit.ctl("set_vm_memory_high_watermark", "0.4");
    }
  },
  QUEUE_DELETED("a queue that is empty is deleted", "queue.delete; the inbox declares it again") {
    @Override
    void strike(Scene scene) throws Exception {
      String queue = Walks.queues().get(scene.random.nextInt(Walks.values().length));
      scene.publisher.pause();
      try {
        scene.publisher.awaitConfirms();
        Quiet.await(
            DEADLINE,
            () ->
                Quiet.areEmpty(scene.rabbit, List.of(queue))
                    && scene.tables.stored() >= scene.publisher.confirmed());
        scene.rabbit.deleteQueue(queue);
        Quiet.await(DEADLINE, () -> Quiet.areEmpty(scene.rabbit, List.of(queue)));
      } finally {
        scene.publisher.resume();
      }
    }
  },
  DATABASE_KILLED("PostgreSQL crashes", "kill -9 of all its processes, then crash recovery") {
    @Override
    void strike(Scene scene) {
      scene.postgres.kill9();
      scene.postgres.restart();
    }
  },
  DATABASE_RESTARTED("PostgreSQL restarts", "a fast shutdown, then a start") {
    @Override
    void strike(Scene scene) {
      scene.postgres.restart();
    }
  },
  BACKENDS_TERMINATED("all database sessions of the inbox end", "pg_terminate_backend") {
    @Override
    void strike(Scene scene) {
      scene.tables.count(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
              + " WHERE application_name = 'inbox'");
    }
  },
  BACKENDS_TERMINATED_IN_COMMIT(
      "sessions end while they commit", "pg_terminate_backend on COMMIT") {
    @Override
    void strike(Scene scene) {
      for (int i = 0; i < 200; i++) {
        scene.tables.count(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE application_name = 'inbox' AND state = 'active' AND query = 'COMMIT'");
      }
    }
  },
  READ_ONLY("the database is read-only", "default_transaction_read_only, 2 s") {
    @Override
    void strike(Scene scene) throws Exception {
      configure(scene, "default_transaction_read_only", "on");
      Thread.sleep(2_000);
      configure(scene, "default_transaction_read_only", "off");
    }
  },
  STATEMENT_TIMEOUT("statements time out", "statement_timeout of 2 ms, 2 s") {
    @Override
    void strike(Scene scene) throws Exception {
      configure(scene, "statement_timeout", "2ms");
      Thread.sleep(2_000);
      configure(scene, "statement_timeout", "0");
    }
  },
  TABLE_LOCKED("somebody locks a table", "LOCK TABLE inbox_pending, 2 s") {
    @Override
    void strike(Scene scene) {
      scene
          .tables
          .jdbi()
          .useTransaction(
              handle -> {
                handle.execute("LOCK TABLE inbox_pending IN ACCESS EXCLUSIVE MODE");
                handle.execute("SELECT pg_sleep(2)");
              });
    }
  },
  DUPLICATES("producers repeat themselves", "300 messages published again") {
    @Override
    void strike(Scene scene) throws Exception {
      scene.publisher.repeat(300);
    }
  },
  PAUSED("an operator pauses an endpoint", "a row in inbox_paused, 1 s") {
    @Override
    void strike(Scene scene) throws Exception {
      scene.tables.execute(
          "INSERT INTO inbox_paused (endpoint, paused_by, reason)"
              + " SELECT DISTINCT endpoint, 'chaos', 'to see' FROM inbox_pending");
      Thread.sleep(1_000);
      scene.tables.execute("DELETE FROM inbox_paused");
    }
  };

  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration FREEZE = Walks.LEASE.multipliedBy(2);

  private final String what;
  private final String how;

  Fault(String what, String how) {
    this.what = what;
    this.how = how;
  }

  String what() {
    return what;
  }

  String how() {
    return how;
  }

  /** Makes it happen, and mends it. */
  abstract void strike(Scene scene) throws Exception;

  private static void kill(Scene scene, ChildProcess victim) {
    victim.kill9();
    scene.replace(victim);
  }

  private static void end(Scene scene, ChildProcess victim) {
    victim.terminate();
    victim.exitCode(DEADLINE);
    scene.replace(victim);
  }

  private static void freeze(ChildProcess victim) throws InterruptedException {
    victim.stop();
    try {
      Thread.sleep(FREEZE.toMillis());
    } finally {
      victim.cont();
    }
  }

  /** Changes a setting for all sessions, from one that it does not hold for. */
  private static void configure(Scene scene, String setting, String value) {
    try (Handle handle = scene.tables.jdbi().open()) {
      handle.execute("SET default_transaction_read_only = off");
      handle.execute("SET statement_timeout = 0");
      handle.execute("ALTER SYSTEM SET " + setting + " = '" + value + "'");
      handle.execute("SELECT pg_reload_conf()");
    }
  }
}
