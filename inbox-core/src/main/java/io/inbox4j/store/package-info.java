/** The port to a database: everything the inbox requires of a store. */
@NullMarked
package io.inbox4j.store;

import org.jspecify.annotations.NullMarked;
