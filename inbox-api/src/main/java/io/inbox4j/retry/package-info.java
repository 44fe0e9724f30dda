/** Retry policies, backoff and circuit breakers. */
@NullMarked
package io.inbox4j.retry;

import org.jspecify.annotations.NullMarked;
