package io.inbox4j.rabbitmq;

import io.inbox4j.contract.transport.MessageSenderContract;
import io.inbox4j.contract.transport.SenderFixture;
import io.inbox4j.testkit.RabbitServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** On a broker of its own: one that is blocked holds up every test. */
@Tag("slow")
class RabbitSenderContractTest extends MessageSenderContract {

  private static RabbitServer server;

  @BeforeAll
  static void startServer() {
    server = RabbitServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected SenderFixture newFixture() {
    return new RabbitFixture(server);
  }
}
