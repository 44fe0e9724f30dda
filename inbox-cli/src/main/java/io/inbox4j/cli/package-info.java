/**
 * The inbox as a program: {@code inbox run} runs the handlers of an {@link
 * io.inbox4j.cli.application.InboxApplication}, the other commands are for its operators.
 */
@NullMarked
package io.inbox4j.cli;

import org.jspecify.annotations.NullMarked;
