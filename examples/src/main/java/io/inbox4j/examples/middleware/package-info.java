/** What runs around every handler. */
@NullMarked
package io.inbox4j.examples.middleware;

import org.jspecify.annotations.NullMarked;
