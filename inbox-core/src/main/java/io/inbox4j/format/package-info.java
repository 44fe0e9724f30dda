/** How bodies become events: JSON by default, other formats by content type. */
@NullMarked
package io.inbox4j.format;

import org.jspecify.annotations.NullMarked;
