/** Inserts of received messages and quarantined deliveries. */
@NullMarked
package io.inbox4j.jdbi.internal.receive;

import org.jspecify.annotations.NullMarked;
