/** The port to the broker: everything the inbox asks of a transport. */
@NullMarked
package io.inbox4j.transport;

import org.jspecify.annotations.NullMarked;
