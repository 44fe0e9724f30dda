/** The port to a broker: topology, deliveries, and where a transport hands them over. */
@NullMarked
package io.inbox4j.transport;

import org.jspecify.annotations.NullMarked;
