/** Listeners, which observe everything that happens in an inbox, and its health. */
@NullMarked
package io.inbox4j.listener;

import org.jspecify.annotations.NullMarked;
