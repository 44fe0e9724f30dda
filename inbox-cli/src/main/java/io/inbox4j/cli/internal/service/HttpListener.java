package io.inbox4j.cli.internal.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers HTTP requests, each on its own connection.
 *
 * <p>A client that connects and sends nothing, or sends or reads too slowly, harms nobody: a
 * connection ends at its deadline, and if there are too many, the oldest makes room for the newest.
 * So a well-behaved client is answered, whatever others do.
 */
final class HttpListener implements AutoCloseable {

  /** The maximum number of clients served at a time. */
  static final int MAX_CONNECTIONS = 32;

  private static final Logger log = LoggerFactory.getLogger(HttpListener.class);
  private static final int BACKLOG = 128;
  private static final int MAX_DISCARDED = 64 << 10;
  private static final Duration TIME_TO_LEAVE = Duration.ofSeconds(1);
  private static final Duration REST_AFTER_FAILURE = Duration.ofMillis(100);

  private final ServerSocket server;
  private final Duration deadline;
  private final Function<HttpRequest, HttpAnswer> answers;
  private final Deque<Socket> connections = new ArrayDeque<>();
  private final ScheduledThreadPoolExecutor deadlines =
      new ScheduledThreadPoolExecutor(1, task -> daemon(task, "inbox-http-deadline"));

  /** Slightly more threads than connections: those whose connection was closed end soon. */
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          2 * MAX_CONNECTIONS,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> daemon(task, "inbox-http"));

  private HttpListener(
      ServerSocket server, Duration deadline, Function<HttpRequest, HttpAnswer> answers) {
    this.server = server;
    this.deadline = deadline;
    this.answers = answers;
    deadlines.setRemoveOnCancelPolicy(true);
  }

  /**
   * Listens until it is closed.
   *
   * @param deadline how long a client may take from connecting to the end of the response
   * @throws IOException if the address cannot be bound
   */
  static HttpListener start(
      InetSocketAddress address, Duration deadline, Function<HttpRequest, HttpAnswer> answers)
      throws IOException {
    ServerSocket server = new ServerSocket();
    try {
      server.bind(address, BACKLOG);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    HttpListener listener = new HttpListener(server, deadline, answers);
    daemon(listener::listen, "inbox-http-listener").start();
    return listener;
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** Continues after every failure, such as too many open files or threads, because it may pass. */
  private void listen() {
    boolean failed = false;
    while (!server.isClosed()) {
      try {
        accept(server.accept());
        failed = false;
      } catch (IOException | RuntimeException | Error e) {
        if (!server.isClosed()) {
          if (!failed) {
            log.warn("Health and metrics cannot be served, trying again: {}", e.toString());
          }
          failed = true;
          LockSupport.parkNanos(REST_AFTER_FAILURE.toNanos());
        }
      }
    }
  }

  private void accept(Socket client) {
    makeRoomFor(client);
    try {
      threads.execute(() -> serve(client));
    } catch (RuntimeException | Error e) {
      end(client);
      throw e;
    }
  }

  private void makeRoomFor(Socket client) {
    Socket oldest = null;
    synchronized (connections) {
      if (connections.size() == MAX_CONNECTIONS) {
        oldest = connections.removeFirst();
      }
      connections.addLast(client);
    }
    close(oldest);
  }

  private void serve(Socket client) {
    Future<?> end =
        deadlines.schedule(() -> close(client), deadline.toMillis(), TimeUnit.MILLISECONDS);
    try {
      client.setTcpNoDelay(true);
      HttpRequest request = HttpRequest.read(client.getInputStream());
      OutputStream out = client.getOutputStream();
      out.write(answer(request).bytes(request != null && request.isHead()));
      out.flush();
      client.shutdownOutput();
      client.setSoTimeout((int) TIME_TO_LEAVE.toMillis());
      discard(client.getInputStream());
    } catch (IOException e) { // the client disconnected, or its time was up
      log.debug("A client was not answered", e);
    } finally {
      end.cancel(false);
      end(client);
    }
  }

  private HttpAnswer answer(@Nullable HttpRequest request) {
    if (request == null) {
      return HttpAnswer.of(400);
    }
    try {
      return answers.apply(request);
    } catch (RuntimeException | Error e) {
      log.error("A request was not answered; others are", e);
      return HttpAnswer.of(500);
    }
  }

  /** Closing a connection with unread input may lose the response in transit. */
  private static void discard(InputStream in) throws IOException {
    byte[] buffer = new byte[4096];
    int left = MAX_DISCARDED;
    for (int n = in.read(buffer); n > 0 && left > 0; n = in.read(buffer)) {
      left -= n;
    }
  }

  private void end(Socket client) {
    synchronized (connections) {
      connections.remove(client);
    }
    close(client);
  }

  private static void close(@Nullable Socket client) {
    try {
      if (client != null) {
        client.close();
      }
    } catch (IOException e) {
      log.debug("A connection could not be closed", e);
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      log.debug("The port could not be closed", e);
    }
    synchronized (connections) {
      connections.forEach(HttpListener::close);
    }
    deadlines.shutdownNow();
    threads.shutdownNow();
  }
}
