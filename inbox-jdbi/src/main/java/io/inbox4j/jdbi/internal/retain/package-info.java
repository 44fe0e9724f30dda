/** The retention job: removal of old messages, by partition or in small steps. */
@NullMarked
package io.inbox4j.jdbi.internal.retain;

import org.jspecify.annotations.NullMarked;
