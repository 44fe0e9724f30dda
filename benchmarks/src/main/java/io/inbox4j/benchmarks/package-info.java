/** Programs that measure; the way in is {@link io.inbox4j.benchmarks.Benchmark}. */
@NullMarked
package io.inbox4j.benchmarks;

import org.jspecify.annotations.NullMarked;
