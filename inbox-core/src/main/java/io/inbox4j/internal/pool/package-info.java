/** What the processor requires of a worker pool. */
@NullMarked
package io.inbox4j.internal.pool;

import org.jspecify.annotations.NullMarked;
