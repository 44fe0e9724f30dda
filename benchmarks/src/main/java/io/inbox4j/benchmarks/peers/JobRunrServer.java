package io.inbox4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Trial;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.BackgroundJob;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProviderUtils.DatabaseOptions;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.gson.GsonJsonMapper;

final class JobRunrServer extends Peer {

  JobRunrServer() {
    super("JobRunr 8.7.0", false);
  }

  /** The job of JobRunr. */
  public static final class Job {

    private final Trial trial;
    private final HikariDataSource pool;

    Job(Trial trial, HikariDataSource pool) {
      this.trial = trial;
      this.pool = pool;
    }

    public void run(String body) throws Exception {
      handleAndCommit(trial, pool, body);
    }
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    PostgresStorageProvider storage = new PostgresStorageProvider(pool, DatabaseOptions.CREATE);
    Job job = new Job(trial, pool);
    JobActivator activator =
        new JobActivator() {
          @Override
          public <T> T activateJob(Class<T> type) {
            return type.cast(job);
          }
        };
    JobRunr.configure()
        .useJsonMapper(new GsonJsonMapper())
        .useStorageProvider(storage)
        .useJobActivator(activator)
        .useBackgroundJobServer(
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(WORKERS)
                .andPollInterval(Duration.ofSeconds(5)),
            false)
        .initialize();
    BackgroundJob.<Job, String>enqueue(
        trial.lab().orders().bodies(trial.messages()).stream(), (it, body) -> it.run(body));
    BackgroundJobServer server = JobRunr.getBackgroundJobServer();
    trial.measure(
        () -> {
          server.start();
          Rows.awaitNone(trial.jdbi(), "jobrunr_jobs WHERE state <> 'SUCCEEDED'");
        });
    JobRunr.destroy();
  }
}
