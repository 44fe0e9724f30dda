/** What happens to a message after its handler failed. */
@NullMarked
package io.inbox4j.retry;

import org.jspecify.annotations.NullMarked;
