package io.inbox4j.opentelemetry;

import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.handler.Postpone;
import io.inbox4j.internal.log.LoggedFailure;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call inside a span, after which the thread has its previous context again. Exceptions from span
 * processors do not make the call fail.
 */
final class TracedCall {

  private static final Logger log = LoggerFactory.getLogger(TracedCall.class);

  private TracedCall() {}

  /** Runs a handler in the producer's context. */
  static void run(SpanBuilder builder, Context producer, EventMiddleware.Next handler)
      throws Exception {
    Span span = begin(builder);
    Context before = Context.current();
    try (Scope scope = producer.with(span).makeCurrent()) {
      handler.proceed();
    } catch (Throwable e) { // a handler may throw anything
      failed(span, e);
      throw e;
    } finally {
      end(span, before);
    }
  }

  /** Runs the storing of deliveries. */
  static void run(SpanBuilder builder, Runnable store) {
    Span span = begin(builder);
    Context before = Context.current();
    try (Scope scope = before.with(span).makeCurrent()) {
      store.run();
    } catch (Throwable e) {
      failed(span, e);
      throw e;
    } finally {
      end(span, before);
    }
  }

  private static Span begin(SpanBuilder builder) {
    try {
      return builder.startSpan();
    } catch (Throwable e) {
      log.warn("A span could not be started: {}", LoggedFailure.summary(e));
      return Span.getInvalid();
    }
  }

  private static void end(Span span, Context before) {
    restore(before);
    try {
      span.end();
    } catch (Throwable e) {
      log.warn("A span could not be ended: {}", LoggedFailure.summary(e));
    }
  }

  /** Postponing a message is not an error. */
  private static void failed(Span span, Throwable failure) {
    String type = failure.getClass().getName();
    if (!(failure instanceof Postpone)) {
      span.setStatus(StatusCode.ERROR);
      span.setAttribute(Messaging.ERROR_TYPE, type);
    }
    span.addEvent("exception", Attributes.of(Messaging.EXCEPTION_TYPE, type));
  }

  /** A scope that a handler left open must not leak to the next message. */
  @SuppressWarnings("MustBeClosedChecker") // it is the previous context, and stays
  private static void restore(Context before) {
    if (Context.current() != before) {
      before.makeCurrent();
    }
  }
}
