package io.inbox4j.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import java.io.IOException;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that can be ended at any time, even while a thread connects, or is blocked in a
 * write because the broker has stopped reading: the client alone would wait for that thread, to
 * write that it closes the connection. So the sockets are closed under it. Thread-safe.
 *
 * <p>With the client's NIO and Netty there is no socket to close, and no need: their writes end by
 * themselves after a time.
 */
final class AbortableConnection {

  private static final Logger log = LoggerFactory.getLogger(AbortableConnection.class);
  private static final int CLOSE_TIMEOUT_MILLIS = 2_000;

  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Connection connection;
  private volatile @Nullable String aborted;

  /** Connects; called once. */
  Connection open(ConnectionFactory settings, String name) throws IOException, TimeoutException {
    SocketConfigurator configurator = settings.getSocketConfigurator();
    ConnectionFactory factory = settings.clone();
    factory.setSocketConfigurator(
        socket -> {
          configurator.configure(socket);
          sockets.add(socket);
          requireNotAborted();
        });
    Connection opened = ConsumerSession.open(factory, name);
    connection = opened;
    requireNotAborted();
    return opened;
  }

  private void requireNotAborted() throws IOException {
    String why = aborted;
    if (why != null) {
      abort(why);
      throw new IOException(why);
    }
  }

  /** Why it was aborted, or null if it was not. */
  @Nullable String aborted() {
    return aborted;
  }

  /** Tells the broker that it disconnects. */
  void close(String why) {
    Connection opened = connection;
    if (opened != null && aborted == null) {
      opened.abort(CLOSE_TIMEOUT_MILLIS);
    }
    abort(why);
  }

  /** Disconnects at once, and ends all calls that are waiting for the broker. */
  void abort(String why) {
    if (aborted == null) {
      aborted = why;
    }
    sockets.forEach(AbortableConnection::closeAtOnce);
    Connection opened = connection;
    if (opened != null) {
      opened.abort(CLOSE_TIMEOUT_MILLIS);
    }
  }

  private static void closeAtOnce(Socket socket) {
    quietly(() -> socket.setSoLinger(true, 0)); // or TLS would wait for the thread that writes
    quietly(socket::close);
  }

  private static void quietly(SocketCall call) {
    try {
      call.run();
    } catch (IOException | RuntimeException e) {
      log.debug("A socket was closed already, or does not let its lingering be set", e);
    }
  }

  private interface SocketCall {
    void run() throws IOException;
  }
}
