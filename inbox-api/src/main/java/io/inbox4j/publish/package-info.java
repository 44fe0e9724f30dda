/** Publishing events and sending commands. */
@NullMarked
package io.inbox4j.publish;

import org.jspecify.annotations.NullMarked;
