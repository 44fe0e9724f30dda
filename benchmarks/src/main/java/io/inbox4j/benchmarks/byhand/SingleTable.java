package io.inbox4j.benchmarks.byhand;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.json.JsonMapper;

/**
 * The inbox as articles describe it: one table with jsonb, one insert and one ack a message, and a
 * processor that takes a batch of 1,000 with FOR UPDATE SKIP LOCKED and updates it by unnest.
 *
 * @param fromBroker whether receiving is measured as well
 */
public record SingleTable(boolean fromBroker) implements Contender {

  private static final int BATCH = 1_000;
  private static final int PREFETCH = 100;
  private static final JsonMapper JSON = new JsonMapper();

  private static final String INSERT =
      """
      INSERT INTO inbox_messages (id, type, content, received_on_utc)
      VALUES (?, ?, ?::jsonb, now()) ON CONFLICT (id) DO NOTHING
      """;

  private static final String CLAIM =
      """
      SELECT id, type, content FROM inbox_messages WHERE processed_on_utc IS NULL
      ORDER BY received_on_utc LIMIT %d FOR UPDATE SKIP LOCKED
      """
          .formatted(BATCH);

  private static final String COMPLETE =
      """
      UPDATE inbox_messages m SET processed_on_utc = now()
      FROM unnest(?::uuid[]) AS done (id) WHERE m.id = done.id
      """;

  @Override
  public String name() {
    return "single table, batch of 1,000" + (fromBroker ? ", a commit and an ack each" : "");
  }

  @Override
  public String contract() {
    return "effect commits with completion";
  }

  @Override
  public int messages(int others) {
    return fromBroker ? Math.min(others, 10_000) : others;
  }

  @Override
  public void run(Trial trial) throws Exception {
    trial
        .jdbi()
        .useHandle(
            handle -> {
              handle.execute(
                  "CREATE TABLE inbox_messages (id uuid PRIMARY KEY, type text NOT NULL,"
                      + " content jsonb NOT NULL, received_on_utc timestamptz NOT NULL,"
                      + " processed_on_utc timestamptz, error text)");
              handle.execute(
                  "CREATE INDEX ON inbox_messages (received_on_utc)"
                      + " INCLUDE (id, type) WHERE processed_on_utc IS NULL");
            });
    try (HikariDataSource pool = trial.pool(4)) {
      if (fromBroker) {
        receiveAndDrain(pool, trial);
      } else {
        fill(pool, trial);
        trial.measure(() -> drain(pool, trial, trial.messages()));
      }
    }
  }

  private static void receiveAndDrain(HikariDataSource pool, Trial trial) throws Exception {
    trial.lab().queue().fill(trial.messages());
    try (com.rabbitmq.client.Connection broker = trial.lab().queue().connect();
        Channel channel = broker.createChannel();
        Connection store = pool.getConnection();
        PreparedStatement insert = store.prepareStatement(INSERT)) {
      channel.basicQos(PREFETCH);
      trial.measure(
          () -> {
            channel.basicConsume(Queue.NAME, false, new Receiver(channel, insert));
            drain(pool, trial, trial.messages());
          });
    }
  }

  /** One insert, one commit and one ack a message. */
  private static final class Receiver extends DefaultConsumer {

    private final PreparedStatement insert;

    Receiver(Channel channel, PreparedStatement insert) {
      super(channel);
      this.insert = insert;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      try {
        store(insert, properties.getMessageId(), new String(body, StandardCharsets.UTF_8));
      } catch (SQLException e) {
        throw new IOException(e);
      }
      getChannel().basicAck(envelope.getDeliveryTag(), false);
    }
  }

  private static void store(PreparedStatement insert, String id, String body) throws SQLException {
    insert.setObject(1, UUID.fromString(id));
    insert.setString(2, "orders.order-placed");
    insert.setString(3, body);
    insert.executeUpdate();
  }

  private static void fill(HikariDataSource pool, Trial trial) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      connection.setAutoCommit(false);
      for (String body : trial.lab().orders().bodies(trial.messages())) {
        insert.setObject(1, JSON.readValue(body, OrderPlaced.class).messageId());
        insert.setString(2, "orders.order-placed");
        insert.setString(3, body);
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  private static void drain(HikariDataSource pool, Trial trial, int messages) throws Exception {
    AtomicLong done = new AtomicLong();
    Workers.run(
        2,
        () -> {
          try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            while (done.get() < messages) {
              done.addAndGet(drainBatch(connection, trial));
            }
            connection.setAutoCommit(true);
          }
        });
  }

  private static int drainBatch(Connection connection, Trial trial) throws SQLException {
    List<UUID> ids = new ArrayList<>();
    try (PreparedStatement claim = connection.prepareStatement(CLAIM);
        ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getObject(1, UUID.class));
        trial.handle(connection, JSON.readValue(rows.getString(3), OrderPlaced.class));
      }
    }
    Array array = connection.createArrayOf("uuid", ids.toArray());
    try (PreparedStatement complete = connection.prepareStatement(COMPLETE)) {
      complete.setArray(1, array);
      complete.executeUpdate();
    }
    connection.commit();
    return ids.size();
  }
}
