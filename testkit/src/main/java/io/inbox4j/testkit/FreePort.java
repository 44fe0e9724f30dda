package io.inbox4j.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A free TCP port below the range that the kernel takes outgoing ports from.
 *
 * <p>A server that is killed and restarted on a port of that range may find it taken by a client's
 * own outgoing connection.
 */
final class FreePort {

  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int TRIES = 1_000;

  private static final Set<Integer> CHOSEN = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /** A port that this JVM has not been given before. */
  static int choose() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port) && CHOSEN.add(port)) {
        return port;
      }
    }
    throw new IllegalStateException(
        "no free port found between " + LOWEST + " and " + HIGHEST + " in " + TRIES + " tries");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
