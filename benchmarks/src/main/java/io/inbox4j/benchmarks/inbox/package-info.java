/** The inbox, measured. */
@NullMarked
package io.inbox4j.benchmarks.inbox;

import org.jspecify.annotations.NullMarked;
