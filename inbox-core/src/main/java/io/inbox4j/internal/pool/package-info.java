/** What the processor asks of a pool of workers. */
@NullMarked
package io.inbox4j.internal.pool;

import org.jspecify.annotations.NullMarked;
