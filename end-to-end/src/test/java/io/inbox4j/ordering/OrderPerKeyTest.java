package io.inbox4j.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.event.MessageIds;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class OrderPerKeyTest {

  private static final int MESSAGES = Integer.getInteger("inbox.ordering.messages", 30_000);
  private static final int WALKS = 500;
  private static final int WORKERS = 4;
  private static final int KILLS = 5;

  private final String url = PostgresServer.shared().newDatabase();
  private final Jdbi jdbi = Jdbi.create(url);
  private final Random random = new Random(4711);
  private final int[] steps = new int[WALKS];

  @Test
  void stepsOfOneKeyAreTakenInTurnWhileWorkersFailAndAreKilled() {
    store();
    List<ChildProcess> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(worker());
    }
    workers.forEach(worker -> worker.awaitLine("working", Duration.ofSeconds(30)));
    for (int kill = 1; kill <= KILLS; kill++) {
      long due = (long) MESSAGES * kill / (KILLS + 2);
      await().atMost(Duration.ofMinutes(2)).until(() -> processed() >= due);
      assertThat(processed()).as("the kill hits work in flight").isLessThan(MESSAGES);
      int victim = random.nextInt(WORKERS);
      workers.get(victim).kill9();
      workers.set(victim, worker());
    }
    await()
        .atMost(Duration.ofMinutes(3))
        .until(() -> count("SELECT count(*) FROM inbox_pending") == 0);
    workers.forEach(ChildProcess::close);

    assertThat(count("SELECT count(*) FROM violations")).isZero();
    assertThat(count("SELECT count(*) FROM inbox_dead")).isZero();
    assertThat(count("SELECT sum(step) FROM walks")).isEqualTo(MESSAGES);
    assertThat(count("SELECT count(*) FROM inbox_processed")).isEqualTo(MESSAGES);
    assertThat(count("SELECT count(*) FROM inbox WHERE attempts > 1")).isPositive();
  }

  /** A worker that starts fast rather than running fast. */
  private ChildProcess worker() {
    return ChildProcess.start(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), StepWorker.class, url);
  }

  private long processed() {
    return count("SELECT count(*) FROM inbox_processed");
  }

  private long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  private void store() {
    try (JdbiInboxStore store = JdbiInboxStore.connect(url)) {
      store.open();
      jdbi.useHandle(
          handle -> {
            handle.execute("CREATE TABLE walks (walk text PRIMARY KEY, step integer NOT NULL)");
            handle.execute("CREATE TABLE violations (walk text, step integer)");
            handle.execute(
                "INSERT INTO walks SELECT 'w' || n, 0 FROM generate_series(0, ?) n", WALKS - 1);
          });
      List<ValidatedDelivery> batch = new ArrayList<>();
      for (int i = 1; i <= MESSAGES; i++) {
        batch.add(nextStep());
        if (batch.size() == 1_000 || i == MESSAGES) {
          store.receive(StepWorker.ENDPOINT, batch);
          batch.clear();
        }
      }
    }
  }

  /** A step of a walk that is chosen so that a few walks have most of the steps. */
  private ValidatedDelivery nextStep() {
    int walk = (int) (WALKS * Math.pow(random.nextDouble(), 4));
    int step = ++steps[walk];
    String name = "w" + walk;
    UUID id = MessageIds.of(name, step);
    byte[] body =
        "{\"messageId\":\"%s\",\"walk\":\"%s\",\"step\":%d}"
            .formatted(id, name, step)
            .getBytes(StandardCharsets.UTF_8);
    Delivery delivery =
        new Delivery(id.toString(), null, null, null, null, null, Map.of(), body, false);
    return new ValidatedDelivery.Event(delivery, null, id, "step-taken", name, null);
  }
}
