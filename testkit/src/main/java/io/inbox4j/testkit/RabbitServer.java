package io.inbox4j.testkit;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.testcontainers.DockerClientFactory;

/**
 * A real RabbitMQ for tests, which most of them can kill and restart.
 *
 * <p>It is, in this order:
 *
 * <ul>
 *   <li>the broker that the environment variable {@code INBOX_TEST_AMQP} has the amqp URI of;
 *   <li>a private node of the RabbitMQ whose programs are in the folder that {@code
 *       INBOX_TEST_RABBITMQ} names;
 *   <li>a container, when Docker answers;
 *   <li>a private node of the {@code rabbitmq-server} that is installed on this machine.
 * </ul>
 *
 * <p>A server that was started here ends with {@link #close()} or with the JVM.
 */
public sealed interface RabbitServer extends AutoCloseable
    permits GivenRabbit, DockerRabbit, LocalRabbit {

  /** How many bytes a message may have; a given server decides that for itself. */
  int MAX_MESSAGE_SIZE = 128 << 20;

  /** Starts a new server, or takes the given one; the caller closes it. */
  static RabbitServer start() {
    String given = System.getenv("INBOX_TEST_AMQP");
    if (given != null && !given.isBlank()) {
      return new GivenRabbit(given);
    }
    if (RabbitInstallation.given().isEmpty()
        && DockerClientFactory.instance().isDockerAvailable()) {
      return DockerRabbit.start();
    }
    return LocalRabbit.start(
        RabbitInstallation.find()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "there is no RabbitMQ for the tests: install rabbitmq-server, or start"
                            + " Docker, or set INBOX_TEST_AMQP to the amqp URI of a broker that"
                            + " tests may use")));
  }

  /** The one server that the tests of this JVM share; it ends with the JVM. */
  static RabbitServer shared() {
    return SharedRabbit.SERVER;
  }

  /** The amqp URI, user and password included. It stays the same over a restart. */
  String uri();

  /**
   * Whether this server is the tests' own. When it is not, {@link #ctl}, {@link #kill9}, {@link
   * #restart}, {@link #freeze}, {@link #unfreeze}, {@link #stopApp}, {@link #startApp}, {@link
   * #flush} and {@link #closeAllConnections} throw {@link IllegalStateException}.
   */
  boolean isOwn();

  /** Runs {@code rabbitmqctl} against this server and returns what it printed. */
  String ctl(String... args);

  /**
   * Kills the server at once, and returns when it is gone. Confirmed messages survive; a queue that
   * was declared a moment ago may not, see {@link #flush()}.
   */
  void kill9();

  /** Starts a killed server again, or stops and starts a running one, on its data and port. */
  void restart();

  /** Freezes the server: connections stay open, and nothing answers. */
  void freeze();

  /** Lets a frozen server go on. */
  void unfreeze();

  /** Stops the broker inside its still running Erlang node. */
  default void stopApp() {
    ctl("stop_app");
  }

  /** Starts the broker after {@link #stopApp()}, and returns when it takes connections. */
  default void startApp() {
    ctl("start_app");
    AmqpProbe.awaitReady(uri());
  }

  /**
   * Writes down which queues there are. RabbitMQ 3 does so up to a second late, and a quorum queue
   * that it has not written down is broken for good after {@link #kill9()}.
   */
  default void flush() {
    ctl("eval", "mnesia:sync_log(), [dets:sync(Table) || Table <- dets:all()].");
  }

  /**
   * How many messages quorum queues have, those included that consumers have not acknowledged. It
   * asks their leaders: what {@code list_queues} prints is seconds old, or 0.
   */
  default long messagesIn(List<String> queues) {
    String names = queues.stream().map("<<\"%s\">>"::formatted).collect(joining(", "));
    String count =
        ctl(
            "eval",
            "lists:sum([begin"
                + " {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, Name)),"
                + " {ok, {_, Count}, _} = ra:leader_query("
                + "amqqueue:get_pid(Queue), {rabbit_fifo, query_messages_total, []}),"
                + " Count end || Name <- [%s]]).".formatted(names));
    return Long.parseLong(count.strip());
  }

  /** Closes every connection from the server's side. */
  default void closeAllConnections() {
    ctl("close_all_connections", "--global", "closed by a test");
  }

  /** Deletes a queue under the feet of its consumers. */
  default void deleteQueue(String name) {
    AmqpProbe.deleteQueue(uri(), name);
  }

  /** Ends the server and deletes its data; a given server is left as it is. */
  @Override
  void close();
}
