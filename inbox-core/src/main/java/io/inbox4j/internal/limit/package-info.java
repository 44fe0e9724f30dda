/** Limits on claiming: admission, concurrency, batch size, circuit breaker, and waking workers. */
@NullMarked
package io.inbox4j.internal.limit;

import org.jspecify.annotations.NullMarked;
