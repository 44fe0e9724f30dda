/** What watches an inbox and says how it is. */
@NullMarked
package io.inbox4j.health;

import org.jspecify.annotations.NullMarked;
