/** The same work with other libraries. */
@NullMarked
package io.inbox4j.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
