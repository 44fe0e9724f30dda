/** Leased handling: claims with a lease, handlers outside any transaction, fenced commits. */
@NullMarked
package io.inbox4j.internal.lease;

import org.jspecify.annotations.NullMarked;
