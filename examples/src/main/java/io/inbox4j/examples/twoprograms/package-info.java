/** Receiving and processing as two programs, from the same builder. */
@NullMarked
package io.inbox4j.examples.twoprograms;

import org.jspecify.annotations.NullMarked;
