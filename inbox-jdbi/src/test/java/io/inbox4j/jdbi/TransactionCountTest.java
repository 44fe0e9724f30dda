package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TransactionCountTest {

  private static final int BACKLOG = 512;

  private final AtomicInteger rounds = new AtomicInteger();

  @Test
  void aBacklogIsDrainedInAHandfulOfTransactions() {
    TestDatabase database = TestDatabase.fresh();
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE,
                    queue -> queue.on(Created.class, (event, context) -> {}).batchSize(BACKLOG)))) {
      service.start();
      // Batches are small at first, and while the machine is slow; so there are several rounds.
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(drain(service)).isLessThanOrEqualTo(8));
    }
  }

  /** Delivers a backlog, and returns in how many transactions it was settled. */
  private long drain(Service service) {
    int first = rounds.getAndIncrement() * BACKLOG;
    service.transport.deliver(
        Service.QUEUE,
        IntStream.range(first, first + BACKLOG)
            .mapToObj(n -> Messages.event(n).delivery())
            .toList());
    service.awaitAll("processed", first + BACKLOG);
    List<String> sequences =
        service.database.texts(
            "SELECT min(seq) FROM (SELECT seq FROM inbox_messages"
                + " ORDER BY seq DESC LIMIT "
                + BACKLOG
                + ") AS last");
    return service.database.count(
        "SELECT count(DISTINCT xmin::text) FROM inbox_processed WHERE seq >= " + sequences.get(0));
  }
}
