package io.inbox4j.reliability.chaos;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * The way to a server: a proxy on loopback that leads to whichever port serves now, and can fall
 * silent, break, or swallow the answer to a commit that has taken place.
 */
final class Wire implements AutoCloseable {

  private final ServerSocket entry;
  private final IntSupplier target;
  private final boolean postgres;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicInteger answersToDrop = new AtomicInteger();
  private final AtomicInteger answersDropped = new AtomicInteger();

  private Wire(IntSupplier target, boolean postgres) {
    this.target = target;
    this.postgres = postgres;
    try {
      this.entry = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on loopback", e);
    }
    start("wire", this::accept);
  }

  /** Leads to the broker whose port is asked for with every new connection. */
  static Wire toRabbit(IntSupplier port) {
    return new Wire(port, false);
  }

  /** Leads to the database whose port is asked for with every new connection. */
  static Wire toPostgres(IntSupplier port) {
    return new Wire(port, true);
  }

  int port() {
    return entry.getLocalPort();
  }

  /** The address of the broker at its other end. */
  String amqpUri() {
    return "amqp://guest:guest@127.0.0.1:" + port();
  }

  /** How many connections there are. */
  int links() {
    return links.size();
  }

  /** What is connected now stays so, and hears and says nothing any more. */
  void silence() {
    links.forEach(link -> link.silent = true);
  }

  /** Breaks all connections. */
  void cut() {
    links.forEach(Link::close);
  }

  /** From now on breaks a connection instead of passing on that its commit has taken place. */
  void dropCommitAnswers(int count) {
    answersDropped.set(0);
    answersToDrop.set(count);
  }

  /** Passes on all answers again; returns how many were dropped. */
  int passCommitAnswers() {
    answersToDrop.set(0);
    return answersDropped.get();
  }

  private void accept() {
    while (!entry.isClosed()) {
      try {
        Socket client = entry.accept();
        try {
          links.add(
              new Link(client, new Socket(InetAddress.getLoopbackAddress(), target.getAsInt())));
        } catch (IOException | RuntimeException e) { // the server is away
          client.close();
        }
      } catch (IOException e) {
        // closed, or one client that was gone again
      }
    }
  }

  @Override
  public void close() {
    try {
      entry.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** One connection. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private final Commits commits = new Commits();
    private volatile boolean silent;

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      start("wire to server", () -> pump(() -> ask(client, server)));
      start("wire to client", () -> pump(() -> answer(server, client)));
    }

    private void pump(Pump work) {
      try {
        work.run();
      } catch (IOException e) {
        // one end is gone
      }
      close();
    }

    private void copy(Socket from, Socket to) throws IOException {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!silent) {
          out.write(buffer, 0, read);
        }
      }
    }

    private void ask(Socket from, Socket to) throws IOException {
      if (!postgres) {
        copy(from, to);
        return;
      }
      DataInputStream in = input(from);
      DataOutputStream out = output(to);
      int greeting = in.readInt(); // the only message without a type
      out.writeInt(greeting);
      out.write(in.readNBytes(greeting - Integer.BYTES));
      out.flush();
      pass(
          in,
          out,
          (type, content) -> {
            commits.asked(type, content);
            return true;
          });
    }

    private void answer(Socket from, Socket to) throws IOException {
      if (!postgres) {
        copy(from, to);
        return;
      }
      pass(
          input(from),
          output(to),
          (type, content) -> !(commits.isCommitted(type, content) && mayDrop()));
    }

    private void pass(DataInputStream in, DataOutputStream out, Watch watch) throws IOException {
      for (int type = in.read(); type >= 0; type = in.read()) {
        int length = in.readInt();
        byte[] content = in.readNBytes(length - Integer.BYTES);
        if (!watch.lets(type, content)) {
          return;
        }
        if (!silent) {
          out.write(type);
          out.writeInt(length);
          out.write(content);
          if (in.available() == 0) {
            out.flush();
          }
        }
      }
    }

    void close() {
      links.remove(this);
      abort(client);
      abort(server);
    }
  }

  private static DataInputStream input(Socket socket) throws IOException {
    return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  private static DataOutputStream output(Socket socket) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }

  /** Looks at every message, and may end the connection before it is passed on. */
  private interface Watch {
    boolean lets(int type, byte[] content);
  }

  private interface Pump {
    void run() throws IOException;
  }

  private boolean mayDrop() {
    boolean drop = answersToDrop.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    if (drop) {
      answersDropped.incrementAndGet();
    }
    return drop;
  }

  private static void abort(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // it is gone
    }
  }
}
