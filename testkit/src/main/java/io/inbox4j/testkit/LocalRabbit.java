package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A private node of the RabbitMQ that is installed on this machine. */
final class LocalRabbit implements RabbitServer {

  private static final Logger LOG = LoggerFactory.getLogger(LocalRabbit.class);
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration CTL_TIMEOUT = Duration.ofSeconds(90);
  private static final String OK = "{ok, ";
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final RabbitInstallation installation;
  private final RabbitNodeFolder folder;
  private @Nullable Process portMapper;
  private @Nullable Process node;
  private boolean closed;

  LocalRabbit(RabbitInstallation installation, RabbitNodeFolder folder) {
    this.installation = installation;
    this.folder = folder;
  }

  static LocalRabbit start(RabbitInstallation installation) {
    LocalRabbit server = new LocalRabbit(installation, RabbitNodeFolder.create(installation));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close RabbitMQ"));
    try {
      server.startPortMapper();
      server.startNode();
    } catch (RuntimeException | Error e) {
      server.close();
      throw e;
    }
    LOG.info("RabbitMQ of {} runs as {}", installation.scripts(), server.folder.nodeName());
    return server;
  }

  // The node would start a port mapper that outlives it; one that is a child of ours is found.
  void startPortMapper() {
    portMapper = launch(new ProcessBuilder(installation.portMapper(folder.portMapperPort())));
    await("the port mapper of Erlang answers")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(STOP_TIMEOUT)
        .until(folder::portMapperAnswers);
  }

  void startNode() {
    Process started = launch(new ProcessBuilder(installation.script("rabbitmq-server")));
    node = started;
    try {
      await("RabbitMQ takes connections")
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(100))
          .atMost(START_TIMEOUT)
          .until(() -> !started.isAlive() || AmqpProbe.isReady(uri()));
    } catch (ConditionTimeoutException e) {
      throw new IllegalStateException(
          "rabbitmq-server is not up after " + START_TIMEOUT + ":\n" + folder.output(), e);
    }
    if (!started.isAlive()) {
      throw new IllegalStateException(
          "rabbitmq-server ended before it was up:\n" + folder.output());
    }
  }

  private Process launch(ProcessBuilder builder) {
    try {
      return folder.prepare(builder).start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + builder.command(), e);
    }
  }

  /** The name by which other nodes know this one. */
  String nodeName() {
    return folder.nodeName();
  }

  /** Whether the operating system knows its process; it may be starting. */
  synchronized boolean isUp() {
    return node != null && node.isAlive();
  }

  @Override
  public String uri() {
    return "amqp://guest:guest@127.0.0.1:" + folder.amqpPort();
  }

  @Override
  public boolean isOwn() {
    return true;
  }

  @Override
  public String ctl(String... args) {
    return args.length == 2 && args[0].equals("eval") && installation.erlCall().isPresent()
        ? eval(args[1], installation.erlCall().get())
        : rabbitmqctl(args);
  }

  /** What rabbitmqctl does with a whole Erlang machine of its own; tests ask again and again. */
  private String eval(String expression, Path erlCall) {
    ProcessBuilder builder =
        new ProcessBuilder(
            installation.program(
                erlCall, "-sname", folder.nodeName(), "-c", folder.cookie(), "-e"));
    String printed =
        Command.output(folder.prepare(builder), expression + "\n", CTL_TIMEOUT).strip();
    if (!printed.startsWith(OK) || !printed.endsWith("}")) {
      throw new IllegalStateException(expression + " ended with " + printed);
    }
    return printed.substring(OK.length(), printed.length() - 1);
  }

  private String rabbitmqctl(String... args) {
    String[] quiet = new String[args.length + 1];
    quiet[0] = "--quiet";
    System.arraycopy(args, 0, quiet, 1, args.length);
    ProcessBuilder builder = new ProcessBuilder(installation.script("rabbitmqctl", quiet));
    return Command.output(folder.prepare(builder), CTL_TIMEOUT);
  }

  @Override
  public synchronized void kill9() {
    if (node != null && node.isAlive()) {
      // The script that was started, and below it the Erlang process.
      new OsProcess(node.pid()).killTree();
      awaitEnd(node);
    }
  }

  @Override
  public synchronized void freeze() {
    if (node != null) {
      new OsProcess(node.pid()).freezeTree();
    }
  }

  @Override
  public synchronized void unfreeze() {
    if (node != null) {
      new OsProcess(node.pid()).continueTree();
    }
  }

  @Override
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("the server is closed");
    }
    if (node != null && node.isAlive()) {
      ctl("stop");
      awaitEnd(node);
    }
    startNode();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    kill9();
    if (portMapper != null) {
      portMapper.destroyForcibly();
      awaitEnd(portMapper);
    }
    folder.delete();
  }

  private static void awaitEnd(@Nullable Process process) {
    try {
      if (process != null && !process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        new OsProcess(process.pid()).killTree();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while RabbitMQ ends", e);
    }
  }
}
