package io.inbox4j.opentelemetry;

import io.inbox4j.internal.log.LoggedFailure;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the producer's context from the headers of a message, which are untrusted. */
record HeaderContext(TextMapPropagator propagator) {

  private static final Logger log = LoggerFactory.getLogger(HeaderContext.class);

  /**
   * The context, starting from the root context; the root context itself if there is none that can
   * be read.
   */
  Context read(Map<String, @Nullable Object> headers) {
    try {
      return propagator.extract(Context.root(), headers, Texts.GETTER);
    } catch (RuntimeException | Error e) { // a propagator that does not expect such input
      log.debug("The context of a message cannot be read: {}", LoggedFailure.summary(e));
      return Context.root();
    }
  }

  /** The headers with text values; the others carry no context. */
  private enum Texts implements TextMapGetter<Map<String, @Nullable Object>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<String, @Nullable Object> headers) {
      return headers.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, @Nullable Object> headers, String key) {
      return headers != null && headers.get(key) instanceof String text ? text : null;
    }
  }
}
