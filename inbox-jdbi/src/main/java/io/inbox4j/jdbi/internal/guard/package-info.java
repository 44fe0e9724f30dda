/** Guards that keep handlers from ending the transaction or leaving state in the session. */
@NullMarked
package io.inbox4j.jdbi.internal.guard;

import org.jspecify.annotations.NullMarked;
