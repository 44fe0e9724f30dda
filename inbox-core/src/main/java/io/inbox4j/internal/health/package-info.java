/** Monitors the health of the inbox component by component, and reports changes. */
@NullMarked
package io.inbox4j.internal.health;

import org.jspecify.annotations.NullMarked;
