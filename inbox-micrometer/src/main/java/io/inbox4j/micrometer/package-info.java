/** Metrics; the entry point is {@link io.inbox4j.micrometer.InboxMetrics#on}. */
@NullMarked
package io.inbox4j.micrometer;

import org.jspecify.annotations.NullMarked;
