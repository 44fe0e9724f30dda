/** Retries, dead letters, and what people do with them. */
@NullMarked
package io.inbox4j.examples.retry;

import org.jspecify.annotations.NullMarked;
