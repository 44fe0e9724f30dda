/**
 * A store and a transport in memory, for tests of services and of the engine: nothing survives the
 * process.
 */
@NullMarked
package io.inbox4j.memory;

import org.jspecify.annotations.NullMarked;
