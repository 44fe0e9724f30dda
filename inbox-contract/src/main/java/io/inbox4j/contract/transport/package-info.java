/**
 * The contract of {@link io.inbox4j.transport.InboxTransport}: the tests that every transport must
 * pass.
 *
 * <p>A transport's own test extends {@link io.inbox4j.contract.transport.InboxTransportContract}
 * and supplies a {@link io.inbox4j.contract.transport.TransportFixture}.
 */
@NullMarked
package io.inbox4j.contract.transport;

import org.jspecify.annotations.NullMarked;
