/** What the examples share: servers, a producer, child programs. */
@NullMarked
package io.inbox4j.examples.support;

import org.jspecify.annotations.NullMarked;
