/** Traces; the way in is {@link io.inbox4j.opentelemetry.InboxTracing#on}. */
@NullMarked
package io.inbox4j.opentelemetry;

import org.jspecify.annotations.NullMarked;
