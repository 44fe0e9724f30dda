/** Registers this process among those that are running. */
@NullMarked
package io.inbox4j.internal.registry;

import org.jspecify.annotations.NullMarked;
