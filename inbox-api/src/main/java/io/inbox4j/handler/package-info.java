/**
 * Handlers and what they are given: contexts, transactions, middleware, and the outcomes they can
 * ask for.
 */
@NullMarked
package io.inbox4j.handler;

import org.jspecify.annotations.NullMarked;
