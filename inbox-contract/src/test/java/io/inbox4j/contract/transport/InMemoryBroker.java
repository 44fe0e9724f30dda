package io.inbox4j.contract.transport;

import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A fixture of transports in memory. */
final class InMemoryBroker implements SenderFixture {

  private final InMemoryTransport broker = InMemoryTransport.create();
  private final List<InMemoryTransport> transports = new ArrayList<>();

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
  public void block() {
    broker.block("low on memory");
  }

  @Override
  public void unblock() {
    broker.unblock();
  }

  @Override
  public void close() {}
}
