/** Programs to run and to copy from; see the packages beside this one. */
@NullMarked
package io.inbox4j.examples;

import org.jspecify.annotations.NullMarked;
