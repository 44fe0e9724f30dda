/** Recovery of orphaned messages: they run together first, then in isolation. */
@NullMarked
package io.inbox4j.internal.recover;

import org.jspecify.annotations.NullMarked;
