/** Notifications about everything that happens in an inbox, after it is committed. */
@NullMarked
package io.inbox4j.listener;

import org.jspecify.annotations.NullMarked;
