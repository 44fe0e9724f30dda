/** Real processes on real servers, and everything that can go wrong around them. */
@NullMarked
package io.inbox4j.reliability.chaos;

import org.jspecify.annotations.NullMarked;
