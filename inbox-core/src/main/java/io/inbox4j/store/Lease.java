package io.inbox4j.store;

/**
 * The exclusive right to handle a message outside a transaction, until it expires.
 *
 * @param sequence the sequence of the message
 * @param token the fencing token, which distinguishes this lease from any other of the same message
 */
public record Lease(long sequence, long token) {}
