/** Notifications between processes with LISTEN and NOTIFY. */
@NullMarked
package io.inbox4j.jdbi.internal.notify;

import org.jspecify.annotations.NullMarked;
