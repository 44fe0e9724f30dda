package io.inbox4j.contract.transport;

/** What the contract of senders needs in addition: a broker that accepts no messages. */
public interface SenderFixture extends TransportFixture {

  /** Lets the broker accept no messages, as it does when it runs out of memory. */
  void block();

  /** Lets the broker accept messages again. */
  void unblock();
}
