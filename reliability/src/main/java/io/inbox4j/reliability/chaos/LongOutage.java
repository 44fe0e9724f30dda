package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import java.time.Duration;

/**
 * The database is away for longer than the broker waits for an acknowledgement, and each time that
 * it has waited in vain counts as a delivery.
 */
final class LongOutage {

  private static final Duration CONSUMER_TIMEOUT = Duration.ofSeconds(2);
  private static final int DELIVERY_LIMIT = 3;
  private static final Duration OUTAGE = Duration.ofSeconds(20);
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private LongOutage() {}

  static Hit strike(Scene scene) throws Exception {
    // What the brokers have in flight was delivered too often before.
    scene.publisher.pause();
    try {
      scene.publisher.awaitConfirms();
      awaitEmpty(scene);
      beImpatient(scene);
    } finally {
      scene.publisher.resume();
    }
    long held = 0;
    scene.awaitWork();
    scene.postgres.kill9();
    try {
      long until = System.nanoTime() + OUTAGE.toNanos();
      while (System.nanoTime() < until) {
        scene.feed();
        Thread.sleep(500);
      }
      held = scene.rabbit.messagesIn(Walks.queues());
    } finally {
      scene.postgres.restart();
    }
    awaitEmpty(scene);
    bePatient(scene);
    return new Hit(held, "messages held by the brokers");
  }

  private static void awaitEmpty(Scene scene) throws InterruptedException {
    if (!Quiet.await(DEADLINE, () -> scene.rabbit.messagesIn(Walks.queues()) == 0)) {
      throw new IllegalStateException("the queues are not empty after " + DEADLINE);
    }
  }

  /** A channel reads the setting when it is opened. */
  private static void beImpatient(Scene scene) {
    scene.rabbit.onAll(
        "begin application:set_env(rabbit, consumer_timeout, %d),"
                .formatted(CONSUMER_TIMEOUT.toMillis())
            + " application:set_env(rabbit, channel_tick_interval, 500) end");
    scene.rabbit.ctl(
        "set_policy",
        "--apply-to",
        "queues",
        "impatient",
        "^walks[.][a-z]+$",
        "{\"delivery-limit\": %d}".formatted(DELIVERY_LIMIT));
    scene.rabbit.closeConnections(1);
  }

  private static void bePatient(Scene scene) {
    scene.rabbit.ctl("clear_policy", "impatient");
    scene.rabbit.onAll(
        "begin application:set_env(rabbit, consumer_timeout, 1800000),"
            + " application:set_env(rabbit, channel_tick_interval, 60000) end");
    scene.rabbit.closeConnections(1);
  }
}
