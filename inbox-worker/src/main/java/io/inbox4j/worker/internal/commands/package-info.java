/** The commands, one class each. */
@NullMarked
package io.inbox4j.worker.internal.commands;

import org.jspecify.annotations.NullMarked;
