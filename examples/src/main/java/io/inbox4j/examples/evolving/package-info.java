/** Events that were renamed, changed, or belong together. */
@NullMarked
package io.inbox4j.examples.evolving;

import org.jspecify.annotations.NullMarked;
