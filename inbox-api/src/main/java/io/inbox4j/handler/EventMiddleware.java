package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;
import java.util.List;

/**
 * Runs around handlers: settings of the transaction, MDC, a security context, timing.
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
 * <p>The first that is added is the outermost; those of the inbox are around those of a
 * subscription. It is called by several workers at once and must be thread-safe. What it throws, or
 * lets through, is what the handler threw; if it never proceeds and returns, the message counts as
 * handled.
 */
@FunctionalInterface
public interface EventMiddleware {

  /** Does something around {@code next.proceed()}. */
  void handle(IntegrationEvent event, EventContext context, Next next) throws Exception;

  /**
   * Does something around a handler of batches. A middleware that does not override this is refused
   * for subscriptions that have such handlers: what it does around one event may be wrong, or
   * missing, around many.
   */
  default void handleBatch(
      List<? extends IntegrationEvent> events, BatchContext<?> context, Next next)
      throws Exception {
    throw new IllegalStateException(
        getClass().getName() + " does not say what it does around batches; override handleBatch");
  }

  /** What is inside: the next middleware, and in the end the handler. */
  @FunctionalInterface
  interface Next {

    /** Goes on, once. */
    void proceed() throws Exception;
  }
}
