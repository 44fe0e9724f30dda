/** What happened to every message, and the checker that finds what should not have happened. */
@NullMarked
package io.inbox4j.reliability.history;

import org.jspecify.annotations.NullMarked;
