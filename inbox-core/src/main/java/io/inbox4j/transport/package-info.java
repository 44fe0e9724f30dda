/**
 * The port to a broker: topology, deliveries, and the receiver to which a transport passes them.
 */
@NullMarked
package io.inbox4j.transport;

import org.jspecify.annotations.NullMarked;
