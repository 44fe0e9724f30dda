package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;
import java.util.List;

/**
 * Runs around handlers: transaction settings, MDC, a security context, timing.
 *
 * <pre>{@code
 * .middleware((event, context, next) -> {
 *   MDC.put("messageId", context.messageId().toString());
 *   try {
 *     next.proceed();
 *   } finally {
 *     MDC.remove("messageId");
 *   }
 * })
 * }</pre>
 *
 * <p>The middleware added first is the outermost; the inbox's middleware surrounds the
 * subscription's. Workers call it concurrently, so it must be thread-safe. An exception that it
 * throws or lets through counts as thrown by the handler; if it returns without proceeding, the
 * message counts as handled.
 */
@FunctionalInterface
public interface EventMiddleware {

  /** Wraps the handling of one event; calls {@code next.proceed()} to continue. */
  void handle(IntegrationEvent event, EventContext context, Next next) throws Exception;

  /**
   * Wraps a call of a batch handler. Subscriptions with batch handlers reject middleware that does
   * not override this method, because what it does around one event may be wrong, or missing,
   * around many.
   */
  default void handleBatch(
      List<? extends IntegrationEvent> events, BatchContext<?> context, Next next)
      throws Exception {
    throw new IllegalStateException(
        getClass().getName() + " does not say what it does around batches; override handleBatch");
  }

  /** The rest of the chain: the next middleware and finally the handler. */
  @FunctionalInterface
  interface Next {

    /** Continues the chain; to be called once. */
    void proceed() throws Exception;
  }
}
