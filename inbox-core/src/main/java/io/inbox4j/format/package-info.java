/** Formats, which turn bodies into events: JSON by default, others by content type. */
@NullMarked
package io.inbox4j.format;

import org.jspecify.annotations.NullMarked;
