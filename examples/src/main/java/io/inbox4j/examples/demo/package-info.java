/** The main job under fire: duplicates, poison, and a worker that is killed. */
@NullMarked
package io.inbox4j.examples.demo;

import org.jspecify.annotations.NullMarked;
