package io.inbox4j.rabbitmq;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A way to a broker that lets only so many bytes a second through to it. */
final class SlowProxy implements AutoCloseable {

  private static final int CHUNK = 16 << 10;

  private final String uri;
  private final URI broker;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  SlowProxy(String uri, int bytesPerSecond) throws IOException {
    this.uri = uri;
    this.broker = URI.create(uri);
    this.listener = new ServerSocket();
    listener.setReceiveBufferSize(CHUNK); // or the system takes megabytes at once
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    start(() -> accept(TimeUnit.SECONDS.toNanos(CHUNK) / bytesPerSecond));
  }

  String uri() {
    return uri.replaceFirst("@.*?(/|$)", "@127.0.0.1:" + listener.getLocalPort() + "$1");
  }

  private void accept(long nanosPerChunk) throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket(broker.getHost(), broker.getPort());
      sockets.addAll(List.of(client, server));
      start(() -> copy(client, server, nanosPerChunk));
      start(() -> copy(server, client, 0));
    }
  }

  private static void copy(Socket from, Socket to, long nanosPerChunk) throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] chunk = new byte[CHUNK];
      for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
        LockSupport.parkNanos(nanosPerChunk * length / CHUNK);
        out.write(chunk, 0, length);
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                return; // closed by one of both, or by the test
              }
            },
            "slow-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
