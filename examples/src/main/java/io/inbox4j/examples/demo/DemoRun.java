package io.inbox4j.examples.demo;

import io.inbox4j.Inbox;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One run: this process receives, two others work, and one of them is killed on the way. */
final class DemoRun {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration REPLACEMENT_DELAY = Duration.ofSeconds(1);
  private static final long LOOK_MILLIS = 100;

  private final Servers servers;
  private final OrderPlan plan;
  private final int goal;
  private final Screen screen;
  private final DemoDatabase database;
  private final DemoWorkers workers;
  private final Receipts receipts = new Receipts();
  private final OrderPublisher publisher;
  private @Nullable Snapshot killedAt;
  private boolean replaced;

  DemoRun(Servers servers, OrderPlan plan, Screen screen) {
    this.servers = servers;
    this.plan = plan;
    this.goal = plan.effective().size();
    this.screen = screen;
    this.database = new DemoDatabase(servers.jdbcUrl());
    this.workers = new DemoWorkers(database, pauseMillis(plan));
    this.publisher = new OrderPublisher(servers.amqpUri(), plan);
  }

  /** How long a handler takes: long enough for the work to last until somebody is killed. */
  static int pauseMillis(OrderPlan plan) {
    return Math.max(1, Math.min(100, 20_000 / plan.orders()));
  }

  /** Runs until all work is done, and returns whether the sums are right. */
  boolean run() throws Exception {
    DemoQueue.delete(servers.amqpUri());
    database.prepare();
    try (Inbox receiver = receiver();
        workers) {
      receiver.startReceiving();
      screen.say(
          "Workers: processes %d and %d; each order takes them %d ms. This process only receives."
              .formatted(workers.startOne(), workers.startOne(), pauseMillis(plan)));
      workers.awaitWorking();
      publisher.start();
      boolean complete = awaitCompletion();
      return conclude() && complete;
    } finally {
      DemoQueue.delete(servers.amqpUri());
    }
  }

  private Inbox receiver() {
    return Inbox.builder()
        .store(JdbiInboxStore.connect(database.url("inbox-demo-receiver")))
        .transport(RabbitTransport.connect(servers.amqpUri()))
        .subscribe(DemoQueue.NAME, queue -> queue.receive(OrderPlaced.class))
        .listener(receipts)
        .build();
  }

  private boolean awaitCompletion() throws Exception {
    Snapshot first = look();
    Snapshot second = first;
    Snapshot moved = first;
    for (Snapshot now = first; ; now = look()) {
      if (now.isComplete(plan)) {
        screen.say(now.line(first));
        return true;
      }
      screen.progress(now.line(second));
      if (now.nanos() - second.nanos() > Duration.ofSeconds(1).toNanos()) {
        second = now;
      }
      if (now.isBeyond(moved)) {
        moved = now;
      } else if (now.nanos() - moved.nanos() > PATIENCE.toNanos()) {
        screen.say(now.line(first));
        screen.say(
            "Nothing has moved for %d s, with %,d messages pending. Are the servers well?"
                .formatted(PATIENCE.toSeconds(), now.progress().pending()));
        return false;
      }
      disturb(now);
      workers.check();
      rest(now);
    }
  }

  /** Looks seldom if looking takes long, so that it does not compete with the work. */
  private static void rest(Snapshot now) throws InterruptedException {
    Thread.sleep(Math.max(LOOK_MILLIS, 4 * now.tookNanos() / 1_000_000));
  }

  private Snapshot look() throws Exception {
    long begin = System.nanoTime();
    int published = publisher.published();
    return Snapshot.of(begin, published, receipts, database.progress());
  }

  /**
   * Kills a worker in the middle of its work when a quarter is done, and replaces it a moment
   * later.
   */
  private void disturb(Snapshot now) throws Exception {
    if (killedAt == null
        && now.progress().processed() >= goal / 4
        && workers.isFirstInTheMiddle()) {
      long victim = workers.killFirst();
      killedAt = look();
      screen.say(
          "Worker %d is killed (SIGKILL) after %,d of %,d orders."
              .formatted(victim, killedAt.progress().processed(), goal));
    } else if (killedAt != null
        && !replaced
        && now.nanos() - killedAt.nanos() > REPLACEMENT_DELAY.toNanos()) {
      replaced = true;
      screen.say("Worker %d takes its place.".formatted(workers.startOne()));
    }
  }

  private boolean conclude() {
    Verdict verdict = Verdict.of(plan, database.found());
    boolean inTheMiddle =
        killedAt != null && killedAt.progress().processed() < goal && workers.recovered() > 0;
    screen.say("");
    screen.say(verdict.toString());
    screen.say(
        inTheMiddle
            ? "The killed worker had %,d messages in flight; others have handled them."
                .formatted(workers.recovered())
            : "No worker was killed in the middle of its work: this run proves less than it should.");
    return verdict.holds() && inTheMiddle;
  }
}
