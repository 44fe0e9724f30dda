package io.inbox4j.rabbitmq;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.contract.transport.SenderFixture;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;

/** A fixture of transports to a real broker, which is blocked only if it is the tests' own. */
final class RabbitFixture implements SenderFixture {

  private final RabbitServer server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Connection connection;
  private final Channel producer;

  RabbitFixture(RabbitServer server) {
    this.server = server;
    try {
      connection = RabbitTransport.settings(server.uri()).newConnection();
      producer = connection.createChannel();
      producer.confirmSelect();
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public InboxTransport newTransport() {
    ConnectionFactory settings = RabbitTransport.settings(server.uri());
    settings.setSocketConfigurator(
        socket -> {
          socket.setTcpNoDelay(true);
          sockets.add(socket);
        });
    return RabbitTransport.connect(settings);
  }

  @Override
  public void publish(String queue, Delivery message) {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(message.messageId())
            .type(message.type())
            .contentType(message.contentType())
            .contentEncoding(message.contentEncoding())
            .correlationId(message.correlationId())
            .appId(message.source())
            .headers(message.headers())
            .build();
    try {
      producer.basicPublish("", queue, true, properties, message.body());
      producer.waitForConfirmsOrDie(10_000);
    } catch (IOException | InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void breakConnections() {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void block() {
    assumeTrue(server.isOwn(), "a broker that can be blocked");
    server.ctl("eval", "rabbit_alarm:set_alarm({{resource_limit, memory, node()}, []}).");
  }

  @Override
  public void unblock() {
    if (server.isOwn()) {
      server.ctl("eval", "rabbit_alarm:clear_alarm({resource_limit, memory, node()}).");
    }
  }

  @Override
  public void close() {
    connection.abort(2_000);
  }
}
