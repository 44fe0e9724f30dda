/** Events about the same thing, one after the other. */
@NullMarked
package io.inbox4j.examples.ordered;

import org.jspecify.annotations.NullMarked;
