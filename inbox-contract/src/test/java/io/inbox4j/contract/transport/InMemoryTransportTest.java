package io.inbox4j.contract.transport;

import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

class InMemoryTransportTest extends InboxTransportContract {

  @Override
  protected TransportFixture newFixture() {
    InMemoryTransport broker = InMemoryTransport.create();
    List<InMemoryTransport> transports = new ArrayList<>();
    return new TransportFixture() {
      @Override
      public InboxTransport newTransport() {
        InMemoryTransport transport = broker.sibling();
        transports.add(transport);
        return transport;
      }

      @Override
      public void publish(String queue, Delivery message) {
        broker.publish(queue, message);
      }

      @Override
      public void breakConnections() {
        transports.forEach(it -> it.disconnect(new IOException("broken")));
      }

      @Override
      public void close() {}
    };
  }
}
