/** Event types: their stable names, and reading an event from its stored bytes. */
@NullMarked
package io.inbox4j.event;

import org.jspecify.annotations.NullMarked;
