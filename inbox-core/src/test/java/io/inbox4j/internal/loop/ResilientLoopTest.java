package io.inbox4j.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.internal.notify.Sneaky;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ResilientLoopTest {

  private final AtomicBoolean ended = new AtomicBoolean();

  @Test
  void itGoesOnWhateverIsThrown() {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    failures.add(new IllegalStateException("a mistake"));
    failures.add(new IOException("not declared"));
    failures.add(new InternalError("of the virtual machine"));
    failures.add(new StackOverflowError());
    failures.add(new InterruptedException("not meant for it"));
    new ResilientLoop("work", ended::get, () -> failNextOrEnd(failures)).run();
    assertThat(failures).isEmpty();
  }

  private void failNextOrEnd(Queue<Throwable> failures) {
    Throwable next = failures.poll();
    if (next == null) {
      ended.set(true);
    } else {
      Sneaky.raise(next);
    }
  }

  @Test
  void aFailureThatCannotEvenBeShownIsSurvived() {
    AtomicBoolean thrown = new AtomicBoolean();
    new ResilientLoop(
            "work",
            thrown::get,
            () -> {
              thrown.set(true);
              throw new Unspeakable();
            })
        .run();
    assertThat(thrown).isTrue();
  }

  private static final class Unspeakable extends RuntimeException {
    @Override
    public String getMessage() {
      throw new InternalError("has no message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new InternalError("has no cause");
    }
  }

  @Test
  void anInterruptThatWasLeftBehindDoesNotReachTheNextStep() {
    Queue<Boolean> flags = new ConcurrentLinkedQueue<>();
    new ResilientLoop(
            "work",
            () -> flags.size() == 3,
            () -> {
              flags.add(Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
            })
        .run();
    assertThat(flags).containsOnly(false);
  }

  @Test
  void whoEndsItMayInterruptTheStepInFlight() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Thread thread =
        new Thread(
            new ResilientLoop(
                "work",
                ended::get,
                () -> {
                  begun.countDown();
                  never.await();
                }));
    thread.start();
    begun.await();
    ended.set(true);
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(thread.isAlive()).isFalse();
  }
}
