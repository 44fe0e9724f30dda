package io.inbox4j.store;

/**
 * The right to handle a message outside a transaction, until it runs out.
 *
 * @param sequence the message
 * @param token what tells this lease from any other of the same message
 */
public record Lease(long sequence, long token) {}
