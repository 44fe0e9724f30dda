package io.inbox4j.jdbi;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;

/**
 * Sockets for the driver, one of which is lost when it is about to send a certain text: the first
 * that sends it after {@link #loseOne(String)}.
 */
public final class LosingSockets extends SocketFactory {

  private static final Set<String> TO_LOSE = ConcurrentHashMap.newKeySet();

  /** What a URL needs at its end so that its connections use such sockets. */
  static final String PARAMETER = "&socketFactory=" + LosingSockets.class.getName();

  /** Loses the next socket that is about to send this text. */
  static void loseOne(String text) {
    TO_LOSE.add(text);
  }

  /** Whether no socket has sent the text since. */
  static boolean waitsFor(String text) {
    return TO_LOSE.contains(text);
  }

  @Override
  public Socket createSocket() {
    return new Losing();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw new UnsupportedOperationException("the driver connects sockets itself");
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
    throw new UnsupportedOperationException("the driver connects sockets itself");
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException("the driver connects sockets itself");
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
    throw new UnsupportedOperationException("the driver connects sockets itself");
  }

  private static final class Losing extends Socket {

    @Override
    public OutputStream getOutputStream() throws IOException {
      return new FilterOutputStream(super.getOutputStream()) {
        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
          String sent = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
          if (TO_LOSE.removeIf(sent::contains)) {
            close();
            throw new IOException("lost");
          }
          out.write(bytes, from, length);
        }
      };
    }
  }
}
