/** Removes expired messages in the background. */
@NullMarked
package io.inbox4j.internal.retain;

import org.jspecify.annotations.NullMarked;
