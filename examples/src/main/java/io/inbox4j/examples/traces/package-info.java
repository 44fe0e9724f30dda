/** One trace from the producer to the handler. */
@NullMarked
package io.inbox4j.examples.traces;

import org.jspecify.annotations.NullMarked;
