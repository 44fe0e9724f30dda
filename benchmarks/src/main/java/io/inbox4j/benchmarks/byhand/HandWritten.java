package io.inbox4j.benchmarks.byhand;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Trial;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import tools.jackson.databind.json.JsonMapper;

/**
 * The limit of draining: a narrow table of what is pending, and three statements a batch, with
 * nothing around them. No retries, no order, no error but the one that ends it.
 */
public final class HandWritten implements Contender {

  private static final int BATCH = 100;
  private static final int WORKERS = 8;

  private static final String CLAIM =
      """
      WITH claimed AS (
        DELETE FROM pending WHERE seq IN (
          SELECT seq FROM pending ORDER BY seq LIMIT %d FOR UPDATE SKIP LOCKED)
        RETURNING seq
      ), done AS (
        INSERT INTO processed (seq) SELECT seq FROM claimed
      )
      SELECT m.body FROM claimed JOIN messages m USING (seq) ORDER BY seq
      """
          .formatted(BATCH);

  private final JsonMapper json = new JsonMapper();

  @Override
  public String name() {
    return "hand-written SQL";
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public void run(Trial trial) throws Exception {
    trial.jdbi().useHandle(handle -> fill(handle, trial));
    try (HikariDataSource pool = trial.pool(WORKERS)) {
      trial.measure(() -> Workers.run(WORKERS, () -> drain(pool, trial)));
    }
  }

  private static void fill(Handle handle, Trial trial) {
    handle.execute("CREATE TABLE messages (seq bigint PRIMARY KEY, body bytea NOT NULL)");
    handle.execute("CREATE TABLE pending (seq bigint PRIMARY KEY)");
    handle.execute("CREATE TABLE processed (seq bigint NOT NULL, at timestamptz DEFAULT now())");
    handle.useTransaction(
        transaction -> {
          PreparedBatch batch = transaction.prepareBatch("INSERT INTO messages VALUES (?, ?)");
          long seq = 0;
          for (String body : trial.lab().orders().bodies(trial.messages())) {
            batch.bind(0, ++seq).bind(1, body.getBytes(StandardCharsets.UTF_8)).add();
          }
          batch.execute();
          transaction.execute("INSERT INTO pending SELECT seq FROM messages");
        });
  }

  private void drain(HikariDataSource pool, Trial trial) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      while (true) {
        List<byte[]> bodies = new ArrayList<>();
        try (PreparedStatement claim = connection.prepareStatement(CLAIM);
            ResultSet rows = claim.executeQuery()) {
          while (rows.next()) {
            bodies.add(rows.getBytes(1));
          }
        }
        for (byte[] body : bodies) {
          trial.handle(connection, json.readValue(body, OrderPlaced.class));
        }
        connection.commit();
        if (bodies.isEmpty()) {
          return;
        }
      }
    }
  }
}
