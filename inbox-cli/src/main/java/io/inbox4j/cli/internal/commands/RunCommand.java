package io.inbox4j.cli.internal.commands;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.cli.internal.options.ApplicationOptions;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.RetentionOptions;
import io.inbox4j.cli.internal.options.WorkerOptions;
import io.inbox4j.cli.internal.service.HealthServer;
import io.inbox4j.cli.internal.service.Logging;
import io.inbox4j.cli.internal.service.WorkerService;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.JdbiInboxStoreBuilder;
import io.inbox4j.micrometer.InboxMetrics;
import io.inbox4j.operations.Retention;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs an application's inbox until the process is told to stop. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description =
        "Receives and handles messages with the handlers of an application on the class path,"
            + " until it gets SIGTERM or SIGINT.",
    footer = {
      "",
      "Every option is also a variable (--pool-size is INBOX_POOL_SIZE) and a property in the file"
          + " of --config (pool-size); the command line wins over the environment, that over the"
          + " file."
    })
public final class RunCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();
  @Mixin private final BrokerOptions broker = new BrokerOptions();
  @Mixin private final ApplicationOptions applications = new ApplicationOptions();
  @Mixin private final WorkerOptions options = new WorkerOptions();
  @Mixin private final RetentionOptions retentions = new RetentionOptions();

  @Override
  public Integer call() throws InterruptedException {
    Logging.ofWorker(options.logLevel());
    InboxApplication application = applications.application();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    WorkerService worker =
        new WorkerService(
            inbox(application, registry),
            options.role(),
            describe(application),
            () -> CommandDatabase.probe(database));
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close, "inbox-shutdown"));
    try (HealthServer server =
        HealthServer.start(
            options.httpAddress(), options.showsHttpDetails(), worker, registry::scrape)) {
      worker.run(server.address());
      return 0;
    }
  }

  private Inbox inbox(InboxApplication application, PrometheusMeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    InboxBuilder builder = Inbox.builder();
    try {
      application.configure(builder);
      Retention retention = retentions.given();
      if (retention != null) {
        builder.retention(retention);
      }
      if (options.closeDeadline() != null) {
        builder.closeDeadline(options.closeDeadline());
      }
      if (options.role().receives() || options.role().publishes()) {
        builder.transport(RabbitTransport.connect(broker.uri()));
      }
      JdbiInboxStoreBuilder store = database.withSchema(JdbiInboxStore.builder(database.url()));
      String notifications = options.notificationsUrl(database);
      if (notifications != null) {
        store.notificationsFrom(notifications);
      }
      return builder
          .store(store.poolSize(options.poolSize()).migrate(options.migrates()).build())
          .listener(InboxMetrics.on(registry))
          .build();
    } catch (IllegalArgumentException e) {
      throw new InboxException(
          "the application %s is not configured as it should be: %s"
              .formatted(application.getClass().getName(), e.getMessage()),
          e);
    }
  }

  private String describe(InboxApplication application) {
    return "%s, role %s, database %s, broker %s, pool of %d connections"
        .formatted(
            application.getClass().getName(),
            options.role(),
            database.place(),
            options.role() == WorkerOptions.Role.PROCESS ? "none" : broker.place(),
            options.poolSize());
  }
}
