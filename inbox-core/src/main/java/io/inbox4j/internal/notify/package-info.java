/** Calls listeners, whatever they throw. */
@NullMarked
package io.inbox4j.internal.notify;

import org.jspecify.annotations.NullMarked;
