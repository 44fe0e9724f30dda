/** Transactions in which messages are claimed, handled and given their outcomes. */
@NullMarked
package io.inbox4j.jdbi.internal.work;

import org.jspecify.annotations.NullMarked;
