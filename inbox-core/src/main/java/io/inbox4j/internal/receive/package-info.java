/** Validates deliveries and stores them. */
@NullMarked
package io.inbox4j.internal.receive;

import org.jspecify.annotations.NullMarked;
