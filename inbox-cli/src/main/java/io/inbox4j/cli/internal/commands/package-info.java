/** The commands, one class each. */
@NullMarked
package io.inbox4j.cli.internal.commands;

import org.jspecify.annotations.NullMarked;
