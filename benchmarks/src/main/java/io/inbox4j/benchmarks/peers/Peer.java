package io.inbox4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Trial;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** What another library does with the same work, with the settings that make it fastest. */
public abstract class Peer implements Contender {

  /** So many handlers at a time: with a commit or two each, the log is flushed for several. */
  static final int WORKERS = 32;

  private static final int MAX_MESSAGES = 20_000;
  private static final JsonMapper JSON = new JsonMapper();

  private final String name;
  private final String contract;

  Peer(String name, boolean together) {
    this.name = name;
    this.contract =
        together ? "effect commits with completion" : "effect and completion commit apart";
  }

  public static List<Contender> all() {
    return List.of(
        new DbScheduler(),
        new JobRunrServer(),
        new Outbox(),
        new SpringIntegration(),
        new SpringModulith(),
        NodePeer.graphileWorker(),
        NodePeer.pgBoss());
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String contract() {
    return contract;
  }

  @Override
  public int messages(int others) {
    return Math.min(others, MAX_MESSAGES);
  }

  @Override
  public final void run(Trial trial) throws Exception {
    try (HikariDataSource pool = trial.pool(WORKERS + 8)) {
      run(trial, pool, new CountDownLatch(trial.messages()));
    }
  }

  abstract void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception;

  static OrderPlaced parse(String body) {
    return JSON.readValue(body, OrderPlaced.class);
  }

  /** The work of a handler that commits by itself. */
  static void handleAndCommit(Trial trial, DataSource pool, String body) throws Exception {
    OrderPlaced order = parse(body);
    if (trial.inserts()) {
      try (Connection connection = pool.getConnection()) {
        trial.handle(connection, order);
      }
    }
  }
}
