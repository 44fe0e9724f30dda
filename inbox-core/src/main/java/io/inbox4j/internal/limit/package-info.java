/**
 * Who may claim, how much, and who is woken: admission, concurrency, batch size, circuit breaker.
 */
@NullMarked
package io.inbox4j.internal.limit;

import org.jspecify.annotations.NullMarked;
