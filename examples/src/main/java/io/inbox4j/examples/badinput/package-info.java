/** Deliveries that are no events: the quarantine, and the way out of it. */
@NullMarked
package io.inbox4j.examples.badinput;

import org.jspecify.annotations.NullMarked;
