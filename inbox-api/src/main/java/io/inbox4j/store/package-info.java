/** The port to the database: everything the inbox asks of a store. */
@NullMarked
package io.inbox4j.store;

import org.jspecify.annotations.NullMarked;
