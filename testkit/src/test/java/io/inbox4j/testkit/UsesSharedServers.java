package io.inbox4j.testkit;

import java.io.IOException;

/** Starts the shared servers and ends without closing them, as a failing test run would. */
final class UsesSharedServers {

  private UsesSharedServers() {}

  public static void main(String[] args) throws IOException {
    System.out.println("postgres " + PostgresServer.shared().pid());
    System.out.println("rabbit " + RabbitServer.shared().uri());
    int read = System.in.read();
    System.exit(read == 'e' ? 3 : 4);
  }
}
