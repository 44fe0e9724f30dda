package io.inbox4j.reliability.chaos;

import java.time.Duration;
import java.util.function.Supplier;

/** What happens to the processes of the inbox. */
enum ProcessFault implements Fault {
  WORKER_KILLED(
      "a worker is killed",
      "its transactions roll back, its leases run out, others take over",
      "`kill -9`, then another one is started") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return kill(scene, scene.caughtAtWork(scene::someWorker));
    }
  },
  RECEIVER_KILLED(
      "a receiver is killed",
      "the broker delivers again what was not acknowledged; what was stored is a duplicate",
      "`kill -9`, then another one is started") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return kill(scene, scene.caughtAtWork(scene::someReceiver));
    }
  },
  WORKER_FROZEN(
      "a worker freezes past its leases and goes on",
      "its sessions are ended, its leases taken over; what it does later is refused",
      "SIGSTOP, 4 s, SIGCONT") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return freeze(scene.caughtAtWork(scene::anyWorker));
    }
  },
  RECEIVER_FROZEN(
      "a receiver freezes and goes on",
      "the broker gives its messages to the other one; what it does later is refused",
      "SIGSTOP, 4 s, SIGCONT") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return freeze(scene.caughtAtWork(scene::anyReceiver));
    }
  },
  WORKER_ENDED(
      "a worker is asked to end under load",
      "it ends in time; what it did not finish is handled by others",
      "SIGTERM, deadline 10 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return end(scene, scene.caughtAtWork(scene::someWorker));
    }
  },
  RECEIVER_ENDED(
      "a receiver is asked to end under load",
      "it ends in time; what it did not store is delivered to others, in order",
      "SIGTERM, deadline 10 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return end(scene, scene.caughtAtWork(scene::someReceiver));
    }
  },
  WORKER_SKEWED(
      "the clock of a worker is five minutes off",
      "nothing: the database has the clock",
      "libfaketime, for 4 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return anotherKind(scene, scene::someWorker, Walker.Kind.skewed(scene.random.nextBoolean()));
    }

    @Override
    public boolean isPossible(Scene scene) {
      return Walker.Kind.canBeSkewed();
    }
  },
  RECEIVER_SKEWED(
      "the clock of a receiver is five minutes off",
      "nothing: the database has the clock",
      "libfaketime, for 4 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return anotherKind(
          scene, scene::someReceiver, Walker.Kind.skewed(scene.random.nextBoolean()));
    }

    @Override
    public boolean isPossible(Scene scene) {
      return Walker.Kind.canBeSkewed();
    }
  },
  OLD_VERSION(
      "two versions of the application at once",
      "it leaves alone what it does not know, and what comes after it",
      "a worker that does not know the newest event, for 4 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return anotherKind(scene, scene::someWorker, Walker.Kind.OLD);
    }
  },
  POOL_EXHAUSTED(
      "the connection pool is exhausted",
      "slower, nothing else",
      "a worker with 2 connections for 24 handlers, 4 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return anotherKind(scene, scene::someWorker, Walker.Kind.NARROW);
    }
  };

  private static final Duration AWHILE = Duration.ofSeconds(4);

  private final String what;
  private final String expected;
  private final String how;

  ProcessFault(String what, String expected, String how) {
    this.what = what;
    this.expected = expected;
    this.how = how;
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public String expected() {
    return expected;
  }

  @Override
  public String how() {
    return how;
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
