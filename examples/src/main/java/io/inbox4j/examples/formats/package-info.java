/** Events whose bodies are no JSON. */
@NullMarked
package io.inbox4j.examples.formats;

import org.jspecify.annotations.NullMarked;
