/** A handler whose SQL and the message's outcome are one transaction. */
@NullMarked
package io.inbox4j.examples.transactional;

import org.jspecify.annotations.NullMarked;
