package io.inbox4j.contract.transport;

class InMemorySenderTest extends MessageSenderContract {

  @Override
  protected SenderFixture newFixture() {
    return new InMemoryBroker();
  }
}
