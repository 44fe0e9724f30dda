package io.inbox4j.benchmarks.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Trial;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

final class DbScheduler extends Peer {

  private static final String TABLE =
      """
      CREATE TABLE scheduled_tasks (
        task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
        execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
        last_success timestamptz, last_failure timestamptz, consecutive_failures int,
        last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
        state text, PRIMARY KEY (task_name, task_instance));
      CREATE INDEX ON scheduled_tasks (execution_time);
      CREATE INDEX ON scheduled_tasks (last_heartbeat)
      """;

  DbScheduler() {
    super("db-scheduler 16.12.0", false);
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    trial.jdbi().useHandle(handle -> handle.createScript(TABLE).execute());
    OneTimeTask<String> task =
        Tasks.oneTime("order", String.class)
            .execute(
                (instance, context) -> {
                  try {
                    handleAndCommit(trial, pool, instance.getData());
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                });
    Scheduler scheduler =
        Scheduler.create(pool, task)
            .threads(WORKERS)
            .pollUsingLockAndFetch(1.0, 4.0)
            .pollingInterval(Duration.ofMillis(50))
            .build();
    List<TaskInstance<?>> instances = new ArrayList<>();
    for (String body : trial.lab().orders().bodies(trial.messages())) {
      instances.add(task.instance(Integer.toString(instances.size()), body));
    }
    scheduler.scheduleBatch(instances, Instant.now());
    trial.measure(
        () -> {
          scheduler.start();
          Rows.awaitNone(trial.jdbi(), "scheduled_tasks");
        });
    scheduler.stop();
  }
}
