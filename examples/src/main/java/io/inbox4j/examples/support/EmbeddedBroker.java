package io.inbox4j.examples.support;

import java.net.URL;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener.DefaultSystemLauncherListener;
import org.apache.qpid.server.model.Broker;
import org.apache.qpid.server.model.Port;
import org.apache.qpid.server.model.SystemConfig;

/**
 * An AMQP broker inside this JVM, for programs that must run anywhere.
 *
 * <p>It is Apache Qpid Broker-J, which speaks RabbitMQ's protocol but has no quorum queues and
 * keeps everything in memory. It is set up in {@code embedded-broker.json}.
 */
final class EmbeddedBroker implements AutoCloseable {

  private final SystemLauncher launcher;
  private final int port;

  private EmbeddedBroker(SystemLauncher launcher, int port) {
    this.launcher = launcher;
    this.port = port;
  }

  /** Starts a broker on a free port of this machine. */
  static EmbeddedBroker start() throws Exception {
    URL configuration = EmbeddedBroker.class.getResource("/embedded-broker.json");
    PortFinder portFinder = new PortFinder();
    SystemLauncher launcher = new SystemLauncher(portFinder);
    launcher.startup(
        Map.of(
            "type",
            "Memory",
            "initialConfigurationLocation",
            Objects.requireNonNull(configuration).toString(),
            "preferenceStoreAttributes",
            Map.of("type", "Noop"),
            "startupLoggedToSystemOut",
            false));
    return new EmbeddedBroker(launcher, portFinder.port());
  }

  String uri() {
    return "amqp://guest:guest@127.0.0.1:" + port;
  }

  @Override
  public void close() {
    launcher.shutdown();
  }

  /** Asks the started broker which port it got. */
  private static final class PortFinder extends DefaultSystemLauncherListener {

    private Broker<?> broker;

    @Override
    public void onContainerResolve(SystemConfig<?> system) {
      broker = (Broker<?>) system.getContainer();
    }

    int port() {
      return broker.getPorts().stream().mapToInt(Port::getBoundPort).findFirst().orElseThrow();
    }
  }
}
