/** Tracing; the entry point is {@link io.inbox4j.opentelemetry.InboxTracing#on}. */
@NullMarked
package io.inbox4j.opentelemetry;

import org.jspecify.annotations.NullMarked;
