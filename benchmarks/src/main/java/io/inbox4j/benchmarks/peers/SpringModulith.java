package io.inbox4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Trial;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.config.EventPublicationAutoConfiguration;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** It hands events over as they are published: the time includes storing them. */
final class SpringModulith extends Peer {

  private static final int A_TRANSACTION = 100;
  private static final String JDBC =
      "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration";

  SpringModulith() {
    super("Spring Modulith events 2.1.1", false);
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    try (AnnotationConfigApplicationContext spring = new AnnotationConfigApplicationContext()) {
      spring
          .getEnvironment()
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "benchmark",
                  Map.of(
                      "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
                      "spring.modulith.events.completion-mode", "DELETE")));
      ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
      executor.setCorePoolSize(WORKERS);
      spring.registerBean("dataSource", DataSource.class, () -> pool);
      spring.registerBean(JdbcTemplate.class, () -> new JdbcTemplate(pool));
      spring.registerBean(
          DataSourceTransactionManager.class, () -> new DataSourceTransactionManager(pool));
      spring.registerBean("taskExecutor", ThreadPoolTaskExecutor.class, () -> executor);
      spring.registerBean(EventSerializer.class, Plain::new);
      spring.registerBean(Listener.class, () -> new Listener(trial, pool, all));
      spring.register(Settings.class, Class.forName(JDBC), EventPublicationAutoConfiguration.class);
      spring.refresh();
      TransactionTemplate transaction =
          new TransactionTemplate(spring.getBean(DataSourceTransactionManager.class));
      List<String> bodies = trial.lab().orders().bodies(trial.messages());
      trial.measure(
          () -> {
            for (int i = 0; i < bodies.size(); i += A_TRANSACTION) {
              List<String> part = bodies.subList(i, Math.min(bodies.size(), i + A_TRANSACTION));
              transaction.executeWithoutResult(
                  status -> part.forEach(it -> spring.publishEvent(new Placed(it))));
            }
            all.await();
            Rows.awaitNone(trial.jdbi(), "event_publication WHERE completion_date IS NULL");
          });
    }
  }

  /** What is published. */
  public record Placed(String body) {}

  /** What listens. */
  public static class Listener {

    private final Trial trial;
    private final DataSource pool;
    private final CountDownLatch all;

    Listener(Trial trial, DataSource pool, CountDownLatch all) {
      this.trial = trial;
      this.pool = pool;
      this.all = all;
    }

    @ApplicationModuleListener
    public void on(Placed placed) throws Exception {
      trial.handle(DataSourceUtils.getConnection(pool), parse(placed.body()));
      all.countDown();
    }
  }

  /** Writes the body as it is. */
  private static final class Plain implements EventSerializer {

    @Override
    public Object serialize(Object event) {
      return ((Placed) event).body();
    }

    @Override
    public <T> T deserialize(Object serialized, Class<T> type) {
      return type.cast(new Placed((String) serialized));
    }
  }

  /** What the annotations of listeners need. */
  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  @EnableTransactionManagement
  static class Settings {}
}
