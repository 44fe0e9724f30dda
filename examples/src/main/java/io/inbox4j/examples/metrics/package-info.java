/** What an inbox counts and measures. */
@NullMarked
package io.inbox4j.examples.metrics;

import org.jspecify.annotations.NullMarked;
