/**
 * Handlers and what they work with: contexts, transactions, middleware, and the outcomes they can
 * request.
 */
@NullMarked
package io.inbox4j.handler;

import org.jspecify.annotations.NullMarked;
