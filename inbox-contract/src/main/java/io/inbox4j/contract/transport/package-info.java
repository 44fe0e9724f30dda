/**
 * The contracts of {@link io.inbox4j.transport.InboxTransport} and of its {@link
 * io.inbox4j.transport.MessageSender}: the tests that every transport must pass.
 *
 * <p>A transport's own tests extend {@link io.inbox4j.contract.transport.InboxTransportContract}
 * and {@link io.inbox4j.contract.transport.MessageSenderContract}, and supply a {@link
 * io.inbox4j.contract.transport.TransportFixture} and a {@link
 * io.inbox4j.contract.transport.SenderFixture}.
 */
@NullMarked
package io.inbox4j.contract.transport;

import org.jspecify.annotations.NullMarked;
