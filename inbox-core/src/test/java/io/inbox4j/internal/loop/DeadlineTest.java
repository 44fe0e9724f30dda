package io.inbox4j.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeadlineTest {

  private static final Deadline PASSED = Deadline.in(Duration.ofSeconds(-1));
  private static final Deadline FAR = Deadline.in(Duration.ofHours(1));

  @Test
  void noTimeIsLeftOnceItHasPassed() {
    assertThat(PASSED.hasPassed()).isTrue();
    assertThat(PASSED.left()).isZero();
    assertThat(FAR.hasPassed()).isFalse();
    assertThat(FAR.left()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
  }

  @Test
  void itSaysWhetherAllThreadsHaveEndedInTime() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread running = waitingFor(end);
    Thread ended = waitingFor(new CountDownLatch(0));
    ended.join();
    assertThat(PASSED.join(List.of(running, ended))).isFalse();
    end.countDown();
    assertThat(FAR.join(List.of(running, ended))).isTrue();
  }

  @Test
  void anInterruptEndsTheWaitAndIsKept() {
    Thread running = waitingFor(new CountDownLatch(1));
    Thread.currentThread().interrupt();
    assertThat(FAR.join(running)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    running.interrupt();
  }

  private static Thread waitingFor(CountDownLatch end) {
    Thread thread =
        new Thread(
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    return thread;
  }
}
