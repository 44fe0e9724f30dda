package io.inbox4j.testkit;

/** Holds the server of this JVM, which starts when it is first asked for. */
final class SharedRabbit {

  static final RabbitServer SERVER = start();

  private SharedRabbit() {}

  private static RabbitServer start() {
    RabbitServer server = RabbitServer.start();
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close the shared RabbitMQ"));
    return server;
  }
}
