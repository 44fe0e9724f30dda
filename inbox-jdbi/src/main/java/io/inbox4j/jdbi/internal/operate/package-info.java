/** Operator statements: list, replay, discard, pause, status. */
@NullMarked
package io.inbox4j.jdbi.internal.operate;

import org.jspecify.annotations.NullMarked;
