/** The root of all exceptions that Inbox throws. */
@NullMarked
package io.inbox4j.error;

import org.jspecify.annotations.NullMarked;
