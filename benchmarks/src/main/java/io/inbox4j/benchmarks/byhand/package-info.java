/** The same work without a library. */
@NullMarked
package io.inbox4j.benchmarks.byhand;

import org.jspecify.annotations.NullMarked;
