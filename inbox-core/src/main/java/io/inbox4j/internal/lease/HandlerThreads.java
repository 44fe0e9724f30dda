package io.inbox4j.internal.lease;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates threads for handlers that mostly wait: virtual ones where the JVM has them. */
final class HandlerThreads {

  private HandlerThreads() {}

  /** An executor with one thread per task, named with this prefix and a number. */
  static ExecutorService named(String prefix) {
    ThreadFactory virtual = virtual(prefix);
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        virtual != null
            ? virtual
            : work -> new Thread(work, prefix + "-" + number.incrementAndGet()));
  }

  /**
   * {@code Thread.ofVirtual().name(prefix, 1).factory()}, called by reflection because Java 17 does
   * not have it.
   */
  private static @org.jspecify.annotations.Nullable ThreadFactory virtual(String prefix) {
    try {
      Method ofVirtual = Thread.class.getMethod("ofVirtual");
      Class<?> builder = ofVirtual.getReturnType();
      Object named =
          builder
              .getMethod("name", String.class, long.class)
              .invoke(ofVirtual.invoke(null), prefix + "-", 1L);
      return (ThreadFactory) builder.getMethod("factory").invoke(named);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
