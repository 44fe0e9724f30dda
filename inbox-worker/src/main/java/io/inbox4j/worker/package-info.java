/**
 * The inbox as a program: {@code inbox run} runs the handlers of an {@link
 * io.inbox4j.worker.InboxApplication}, the other commands are for those who operate it.
 */
@NullMarked
package io.inbox4j.worker;

import org.jspecify.annotations.NullMarked;
