package io.inbox4j.contract.transport;

class InMemoryTransportTest extends InboxTransportContract {

  @Override
  protected TransportFixture newFixture() {
    return new InMemoryBroker();
  }
}
