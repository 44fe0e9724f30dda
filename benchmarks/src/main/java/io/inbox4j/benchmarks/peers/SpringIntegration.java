package io.inbox4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.byhand.Workers;
import io.inbox4j.benchmarks.lab.Trial;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.store.JdbcChannelMessageStore;
import org.springframework.integration.jdbc.store.channel.PostgresChannelMessageStoreQueryProvider;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.transaction.support.TransactionTemplate;

final class SpringIntegration extends Peer {

  private static final String GROUP = "orders";
  private static final int A_TRANSACTION = 500;

  SpringIntegration() {
    super("Spring Integration JDBC 7.0.5", true);
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    String schema =
        new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql")
            .getContentAsString(StandardCharsets.UTF_8);
    trial.jdbi().useHandle(handle -> handle.getConnection().createStatement().execute(schema));
    JdbcChannelMessageStore store = new JdbcChannelMessageStore(pool);
    store.setChannelMessageStoreQueryProvider(new PostgresChannelMessageStoreQueryProvider());
    store.afterPropertiesSet();
    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(pool));
    List<String> bodies = trial.lab().orders().bodies(trial.messages());
    for (int i = 0; i < bodies.size(); i += A_TRANSACTION) {
      List<String> part = bodies.subList(i, Math.min(bodies.size(), i + A_TRANSACTION));
      transaction.executeWithoutResult(
          status -> part.forEach(it -> store.addMessageToGroup(GROUP, new GenericMessage<>(it))));
    }
    trial.measure(() -> Workers.run(WORKERS, () -> drain(trial, pool, store, transaction)));
  }

  private static void drain(
      Trial trial,
      HikariDataSource pool,
      JdbcChannelMessageStore store,
      TransactionTemplate transaction) {
    while (Boolean.TRUE.equals(transaction.execute(status -> handleNext(trial, pool, store)))) {
      // until there is none
    }
  }

  private static boolean handleNext(
      Trial trial, HikariDataSource pool, JdbcChannelMessageStore store) {
    Message<?> message = store.pollMessageFromGroup(GROUP);
    if (message == null) {
      return false;
    }
    try {
      trial.handle(DataSourceUtils.getConnection(pool), parse((String) message.getPayload()));
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
    return true;
  }
}
