package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.internal.sql.ClaimSql;
import io.inbox4j.jdbi.internal.sql.LaneSql;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.store.WorkTransaction;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ClaimPlanTest {

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void plansMadeWhileTheTableWasEmptyStayIndexScansWhenItHasGrown() {
    assertThat(
            planWhenGrown(ClaimSql.claim(100), "(smallint[], bigint[], text, text[])", CLAIM_ONCE))
        .contains("inbox_pending_pkey")
        .doesNotContain("Seq Scan on inbox_pending", "Seq Scan on inbox_messages");
  }

  @Test
  void soDoesTheLookForLanes() {
    assertThat(
            planWhenGrown(
                LaneSql.lockLanes(LaneSql.DUE_FIRST_AND_GLANCE, 60_000).split(";\\s*", 3)[2],
                "(smallint[], bigint[], text, text, text, text, smallint[], text, text, int)",
                "('{1,2}', '{0,0}', 'orders', 'orders', 'orders', 'orders', '{}', 'orders',"
                    + " 'orders', 2)"))
        .contains("inbox_pending_pkey", "inbox_pending_parked")
        .doesNotContain("Seq Scan on inbox_pending");
    assertThat(
            planWhenGrown(
                LaneSql.lockLanes(LaneSql.DUE_IN_LANES, 60_000).split(";\\s*", 3)[2],
                "(smallint[], bigint[], text, smallint[], text, smallint[], text, text, int)",
                "('{1,2}', '{0,0}', 'orders', '{1,2}', 'orders', '{}', 'orders', 'orders', 2)"))
        .contains("inbox_pending_pkey", "inbox_pending_parked_lane")
        .doesNotContain("Seq Scan on inbox_pending");
  }

  @Test
  void soDoesTheWalkAlongLanesOfKeys() {
    assertThat(
            planWhenGrown(
                ClaimSql.walkLanes(100),
                "(text, smallint[], smallint[], bigint[], text, text[], text, text)",
                "('orders', '{65,66}', '{65,66}', '{0,0}', 'orders', '{}', 'orders', 'orders')"))
        .contains("inbox_pending_pkey", "inbox_pending_parked_key", "inbox_pending_leased")
        .doesNotContain("Seq Scan on inbox_pending");
  }

  @Test
  void soDoesTheMoveOfWhatIsDue() {
    assertThat(
            planWhenGrown(
                LaneSql.UNPARK,
                "(smallint[], text, text, int, smallint[], text, text, text, text)",
                "('{1}', 'orders', 'orders', 9, '{1}', 'orders', 'orders', 'orders', 'orders')"))
        .contains("inbox_pending_pkey", "inbox_pending_parked")
        .doesNotContain("Seq Scan on inbox_pending");
  }

  private static final String CLAIM_ONCE = "('{1,2}', '{0,0}', 'orders', '{created}')";

  /** The generic plan of a statement that was prepared while the tables were empty. */
  private String planWhenGrown(String statement, String parameters, String arguments) {
    database.execute("VACUUM ANALYZE inbox_pending");
    database.execute("VACUUM ANALYZE inbox_messages");
    return database
        .jdbi()
        .inTransaction(
            handle -> {
              handle.execute("DEALLOCATE ALL");
              handle.execute(SessionSql.BY_INDEX);
              prepare(handle, here(statement).split(";", 2)[0], parameters);
              for (int i = 0; i < 6; i++) {
                plan(handle, arguments);
              }
              fill(handle);
              return plan(handle, arguments);
            });
  }

  /** The statement with the tables of this schema. */
  private static String here(String statement) {
    return statement.replace("{inbox}.", "");
  }

  private static void prepare(Handle handle, String claim, String parameters) {
    String numbered = claim;
    for (int i = 1; numbered.contains("?"); i++) {
      numbered = numbered.replaceFirst("\\?", "\\$" + i);
    }
    handle.execute("SET LOCAL plan_cache_mode = force_generic_plan");
    handle.createScript("SELECT 1").execute();
    execute(handle, "PREPARE claim " + parameters + " AS " + numbered);
  }

  private static void fill(Handle handle) {
    execute(
        handle,
        """
        WITH m AS (
          INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)
          SELECT 'orders', gen_random_uuid(), 'created', '{}', false FROM generate_series(1, 3000)
          RETURNING seq
        )
        INSERT INTO inbox_pending (seq, endpoint, type, lane)
        SELECT seq, 'orders', 'created', inbox_lane(NULL, seq) FROM m
        """);
  }

  private static String plan(Handle handle, String arguments) {
    try (var statement = handle.getConnection().createStatement();
        var rows = statement.executeQuery("EXPLAIN EXECUTE claim " + arguments)) {
      StringBuilder plan = new StringBuilder();
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
      return plan.toString();
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void execute(Handle handle, String sql) {
    try (var statement = handle.getConnection().createStatement()) {
      statement.execute(sql);
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aStoreThatClaimedFromAnEmptyTableReadsNoRowsInVainLater() {
    database.execute("VACUUM ANALYZE inbox_pending");
    String scans =
        "SELECT seq_scan FROM pg_stat_user_tables"
            + " WHERE relname = 'inbox_pending' AND schemaname = current_schema()";
    org.awaitility.Awaitility.await("the scans that built the indexes are counted")
        .until(() -> database.count(scans) > 0);
    database.execute("SELECT pg_stat_reset_single_table_counters('inbox_pending'::regclass)");
    try (JdbiInboxStore store = JdbiInboxStore.connect(database.url())) {
      for (int i = 0; i < 20; i++) {
        try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
          assertThat(transaction.claim(Messages.TYPES, 10)).isEmpty();
        }
      }
      store.receive(Messages.ENDPOINT, Messages.events(500));
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        assertThat(transaction.claim(Messages.TYPES, 10)).hasSize(10);
      }
    }
    org.awaitility.Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(
                        database.count(
                            "SELECT idx_scan FROM pg_stat_user_indexes"
                                + " WHERE indexrelname = 'inbox_pending_pkey' AND schemaname = current_schema()"))
                    .isGreaterThanOrEqualTo(21));
    assertThat(database.count(scans)).isZero();
  }

  @Test
  void aLookForTypesThatAreKnownNowGoesByTheTypeAndNotAlongAllThatAreNot() {
    database
        .jdbi()
        .useTransaction(
            handle -> {
              execute(
                  handle,
                  """
                  INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, type, body,
                                                redelivered)
                  SELECT 'orders', 'unknown-type', '', gen_random_uuid(), 'rubbish', '{}', false
                  FROM generate_series(1, 3000)
                  """);
              handle.execute(SessionSql.BY_INDEX);
              String look =
                  here(OperatorSql.ADOPTABLE)
                      .replace(":types", "ARRAY['created', 'cancelled']")
                      .replace(":endpoint", "'orders'")
                      .replace(":after", "0")
                      .replace(":limit", "200");
              String plan =
                  String.join("\n", handle.select("EXPLAIN " + look).mapTo(String.class).list());
              assertThat(plan)
                  .contains("Index Scan using inbox_quarantine_unknown")
                  .containsPattern("Index Cond: .*\"left\"\\(type, 255\\) = ")
                  .doesNotContain("Seq Scan on inbox_quarantine");
            });
  }
}
