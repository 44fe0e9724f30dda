/** What users implement: handlers, and what a handler is told and can say. */
@NullMarked
package io.inbox4j.handler;

import org.jspecify.annotations.NullMarked;
