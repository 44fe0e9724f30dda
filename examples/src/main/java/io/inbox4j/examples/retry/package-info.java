/** Retries, dead letters, and their replay. */
@NullMarked
package io.inbox4j.examples.retry;

import org.jspecify.annotations.NullMarked;
