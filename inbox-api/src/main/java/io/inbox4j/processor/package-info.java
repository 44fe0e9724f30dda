/** The worker pool that runs handlers on stored messages. */
@NullMarked
package io.inbox4j.processor;

import org.jspecify.annotations.NullMarked;
