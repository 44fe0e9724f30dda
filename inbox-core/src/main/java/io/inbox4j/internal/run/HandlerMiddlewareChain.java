package io.inbox4j.internal.run;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.endpoint.EventDispatcher;
import java.util.List;

/** The handlers of an endpoint with the middleware around them, outermost first. */
record HandlerMiddlewareChain(List<EventMiddleware> middleware, EventDispatcher dispatcher) {

  HandlerMiddlewareChain {
    middleware = List.copyOf(middleware);
  }

  void handle(IntegrationEvent event, EventContext context) throws Exception {
    from(0, event, context);
  }

  <T extends IntegrationEvent> void handleBatch(
      List<T> events, BatchContext<T> context, BatchHandler<T> handler) throws Exception {
    batchFrom(0, events, context, handler);
  }

  private <T extends IntegrationEvent> void batchFrom(
      int index, List<T> events, BatchContext<T> context, BatchHandler<T> handler)
      throws Exception {
    if (index == middleware.size()) {
      handler.handle(events, context);
    } else {
      middleware
          .get(index)
          .handleBatch(events, context, () -> batchFrom(index + 1, events, context, handler));
    }
  }

  private void from(int index, IntegrationEvent event, EventContext context) throws Exception {
    if (index == middleware.size()) {
      dispatcher.dispatch(event, context);
    } else {
      middleware.get(index).handle(event, context, () -> from(index + 1, event, context));
    }
  }
}
