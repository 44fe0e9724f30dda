/** Turns what is published into outgoing messages, and relays those that are stored. */
@NullMarked
package io.inbox4j.internal.publish;

import org.jspecify.annotations.NullMarked;
