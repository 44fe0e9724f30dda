package io.inbox4j.benchmarks.peers;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Trial;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The newest that Maven Central has is of 2022. */
final class Outbox extends Peer {

  private static final Duration ATTEMPT_FREQUENCY = Duration.ofMillis(500);

  Outbox() {
    super("transaction-outbox 4.2.268", true);
  }

  /** What the outbox calls. */
  public static class Job {

    private final Trial trial;
    private final ThreadLocalContextTransactionManager transactions;
    private final CountDownLatch all;

    Job(Trial trial, ThreadLocalContextTransactionManager transactions, CountDownLatch all) {
      this.trial = trial;
      this.transactions = transactions;
      this.all = all;
    }

    public void run(String body) throws Exception {
      transactions.requireTransactionReturns(
          transaction -> {
            try {
              trial.handle(transaction.connection(), parse(body));
            } catch (java.sql.SQLException e) {
              throw new IllegalStateException(e);
            }
            transaction.addPostCommitHook(all::countDown);
            return null;
          });
    }
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    ThreadLocalContextTransactionManager transactions = TransactionManager.fromDataSource(pool);
    ExecutorService executor = Executors.newFixedThreadPool(WORKERS);
    AtomicBoolean holding = new AtomicBoolean(true);
    Submitter submitter =
        (entry, local) -> {
          if (!holding.get()) {
            executor.execute(() -> local.accept(entry));
          }
        };
    Job job = new Job(trial, transactions, all);
    TransactionOutbox outbox =
        TransactionOutbox.builder()
            .transactionManager(transactions)
            .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
            .instantiator(Instantiator.using(type -> job))
            .submitter(submitter)
            .attemptFrequency(ATTEMPT_FREQUENCY)
            .flushBatchSize(5_000)
            .build();
    transactions.inTransaction(
        () -> {
          for (String body : trial.lab().orders().bodies(trial.messages())) {
            try {
              outbox.schedule(Job.class).run(body);
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          }
        });
    Thread.sleep(ATTEMPT_FREQUENCY.toMillis() + 100); // not seen by flush before
    holding.set(false);
    try {
      trial.measure(
          () -> {
            while (all.getCount() > 0) {
              if (!outbox.flush()) {
                all.await(20, TimeUnit.MILLISECONDS);
              }
            }
          });
    } finally {
      executor.shutdownNow();
    }
  }
}
