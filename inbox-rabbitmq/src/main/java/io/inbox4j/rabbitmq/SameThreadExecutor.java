package io.inbox4j.rabbitmq;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Lets the reader thread of a connection call its consumers, which never block. A pool would cost a
 * thread switch for every few deliveries.
 */
final class SameThreadExecutor extends AbstractExecutorService {

  private volatile boolean shutdown;

  @Override
  public void execute(Runnable work) {
    work.run();
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutdown;
  }
}
