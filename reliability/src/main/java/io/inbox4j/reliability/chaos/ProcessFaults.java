package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** What happens to the processes of the inbox. */
final class ProcessFaults {

  private static final Duration AWHILE = Duration.ofSeconds(4);

  private ProcessFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "a worker is killed",
            "its transactions roll back, its leases run out, others take over",
            "`kill -9`, then another one is started",
            scene -> kill(scene, scene.caughtAtWork(scene::someWorker))),
        new Fault(
            "a receiver is killed",
            "the broker delivers again what was not acknowledged; what was stored is a duplicate",
            "`kill -9`, then another one is started",
            scene -> kill(scene, scene.caughtAtWork(scene::someReceiver))),
        new Fault(
            "a worker freezes past its leases and goes on",
            "its sessions are ended, its leases taken over; what it does later is refused",
            "SIGSTOP, 4 s, SIGCONT",
            scene -> freeze(scene.caughtAtWork(scene::anyWorker))),
        new Fault(
            "a receiver freezes and goes on",
            "the broker gives its messages to the other one; what it does later is refused",
            "SIGSTOP, 4 s, SIGCONT",
            scene -> freeze(scene.caughtAtWork(scene::anyReceiver))),
        new Fault(
            "a worker is asked to end under load",
            "it ends in time; what it did not finish is handled by others",
            "SIGTERM, deadline 10 s",
            scene -> end(scene, scene.caughtAtWork(scene::someWorker))),
        new Fault(
            "a receiver is asked to end under load",
            "it ends in time; what it did not store is delivered to others, in order",
            "SIGTERM, deadline 10 s",
            scene -> end(scene, scene.caughtAtWork(scene::someReceiver))),
        new Fault(
                "the clock of a worker is five minutes off",
                "nothing: the database has the clock",
                "libfaketime, for 4 s",
                scene ->
                    anotherKind(
                        scene, scene::someWorker, Walker.Kind.skewed(scene.random.nextBoolean())))
            .onlyIf(scene -> Walker.Kind.canBeSkewed()),
        new Fault(
                "the clock of a receiver is five minutes off",
                "nothing: the database has the clock",
                "libfaketime, for 4 s",
                scene ->
                    anotherKind(
                        scene, scene::someReceiver, Walker.Kind.skewed(scene.random.nextBoolean())))
            .onlyIf(scene -> Walker.Kind.canBeSkewed()),
        new Fault(
            "two versions of the application at once",
            "it leaves alone what it does not know, and what comes after it",
            "a worker that does not know the newest event, for 4 s",
            scene -> anotherKind(scene, scene::someWorker, Walker.Kind.OLD)),
        new Fault(
            "the connection pool is exhausted",
            "slower, nothing else",
            "a worker with 2 connections for 24 handlers, 4 s",
            scene -> anotherKind(scene, scene::someWorker, Walker.Kind.NARROW)));
  }

  private static Hit kill(Scene scene, Scene.AtWork victim) {
    victim.walker().process().kill9();
    scene.replace(victim.walker());
    return victim.hit();
  }

  private static Hit end(Scene scene, Scene.AtWork victim) {
    victim.walker().process().cont();
    victim.walker().end();
    scene.replace(victim.walker());
    return victim.hit();
  }

  private static Hit freeze(Scene.AtWork victim) throws InterruptedException {
    try {
      Thread.sleep(AWHILE.toMillis());
    } finally {
      victim.walker().process().cont();
    }
    return victim.hit();
  }

  /** Puts another kind of process in the place of one, sees it at work, and takes it back. */
  private static Hit anotherKind(Scene scene, Supplier<Walker> choice, Walker.Kind kind)
      throws Exception {
    Walker usual = choice.get();
    usual.end();
    Walker odd = scene.replace(usual, kind);
    odd.awaitStart();
    long until = System.nanoTime() + AWHILE.toNanos();
    Scene.AtWork atWork = scene.caughtAtWork(() -> odd);
    odd.process().cont();
    while (System.nanoTime() < until) {
      scene.feed();
      Thread.sleep(200);
    }
    odd.end();
    scene.replace(odd);
    return atWork.hit();
  }
}
