/** The entry point: {@link io.inbox4j.Inbox}, its builders, and what operators can do with it. */
@NullMarked
package io.inbox4j;

import org.jspecify.annotations.NullMarked;
