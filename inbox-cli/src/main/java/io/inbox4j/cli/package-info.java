/**
 * The inbox as a program: {@code inbox run} runs the handlers of an {@link
 * io.inbox4j.cli.InboxApplication}, the other commands are for those who operate it.
 */
@NullMarked
package io.inbox4j.cli;

import org.jspecify.annotations.NullMarked;
