package io.inbox4j.rabbitmq;

import io.inbox4j.contract.transport.InboxTransportContract;
import io.inbox4j.contract.transport.TransportFixture;
import io.inbox4j.testkit.RabbitServer;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class RabbitTransportContractTest extends InboxTransportContract {

  @Override
  protected TransportFixture newFixture() {
    return new RabbitFixture(RabbitServer.shared());
  }
}
