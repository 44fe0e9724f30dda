package io.inbox4j.testkit;

import com.github.dockerjava.api.DockerClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/** A RabbitMQ in a container; killing it kills the container, whose data outlive it. */
final class DockerRabbit implements RabbitServer {

  private static final Logger LOG = LoggerFactory.getLogger(DockerRabbit.class);
  private static final DockerImageName IMAGE = DockerImageName.parse("rabbitmq:4-management");
  private static final String CONFIGURATION = "/etc/rabbitmq/conf.d/20-inbox.conf";
  private static final int AMQP = 5672;

  private final RabbitMQContainer container;
  private final int port;

  private DockerRabbit(RabbitMQContainer container, int port) {
    this.container = container;
    this.port = port;
  }

  static DockerRabbit start() {
    int port = FreePort.choose();
    RabbitMQContainer container = new RabbitMQContainer(IMAGE);
    container.withCopyToContainer(
        Transferable.of("max_message_size = " + MAX_MESSAGE_SIZE + "\n"), CONFIGURATION);
    // A port that Docker chose would be another one after a restart.
    container.setPortBindings(List.of(port + ":" + AMQP));
    container.start();
    DockerRabbit server = new DockerRabbit(container, port);
    AmqpProbe.awaitReady(server.uri());
    LOG.info("RabbitMQ runs in container {} on port {}", container.getContainerId(), port);
    return server;
  }

  @Override
  public String uri() {
    return "amqp://%s:%s@%s:%d"
        .formatted(
            container.getAdminUsername(), container.getAdminPassword(), container.getHost(), port);
  }

  @Override
  public boolean isOwn() {
    return true;
  }

  @Override
  public String ctl(String... args) {
    List<String> command = new ArrayList<>(List.of("rabbitmqctl", "--quiet"));
    command.addAll(List.of(args));
    try {
      ExecResult result = container.execInContainer(command.toArray(String[]::new));
      if (result.getExitCode() != 0) {
        throw new IllegalStateException(
            String.join(" ", command)
                + " ended with "
                + result.getExitCode()
                + ": "
                + result.getStderr()
                + result.getStdout());
      }
      return result.getStdout();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command, e);
    }
  }

  @Override
  public void kill9() {
    docker().killContainerCmd(container.getContainerId()).exec();
    docker().waitContainerCmd(container.getContainerId()).start().awaitStatusCode();
  }

  @Override
  public void freeze() {
    docker().pauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void unfreeze() {
    docker().unpauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void restart() {
    if (container.isRunning()) {
      docker().stopContainerCmd(container.getContainerId()).exec();
    }
    docker().startContainerCmd(container.getContainerId()).exec();
    AmqpProbe.awaitReady(uri());
  }

  @Override
  public void close() {
    container.stop();
  }

  private DockerClient docker() {
    return container.getDockerClient();
  }
}
