package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.store.WorkTransaction;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ClaimPlanTest {

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void aPlanMadeWhileTheTableWasEmptyStaysAnIndexScanWhenItHasGrown() {
    database.execute("VACUUM ANALYZE inbox_pending");
    database.execute("VACUUM ANALYZE inbox_messages");
    database
        .jdbi()
        .useTransaction(
            handle -> {
              List<String> statements =
                  List.of(here(Sql.claim(100, 60_000)).strip().split(";\\s*", -1));
              assertThat(statements).hasSize(5);
              handle.execute(statements.get(0));
              handle.execute(statements.get(1));
              prepare(handle, statements.get(2));
              for (int i = 0; i < 6; i++) {
                plan(handle);
              }
              fill(handle);
              assertThat(plan(handle))
                  .contains("inbox_pending_due")
                  .doesNotContain("Seq Scan on inbox_pending")
                  .doesNotContain("Seq Scan on inbox_messages");
            });
  }

  @Test
  void soDoesThatOfALane() {
    database.execute("VACUUM ANALYZE inbox_pending");
    database
        .jdbi()
        .useTransaction(
            handle -> {
              handle.execute(Sql.BY_INDEX);
              prepare(handle, here(Sql.walkLane(100)), WALK);
              for (int i = 0; i < 6; i++) {
                plan(handle, WALK_ONCE);
              }
              fill(handle);
              handle.execute(
                  "UPDATE inbox_pending"
                      + " SET ordering_key = seq::text, lane = inbox_lane(seq::text),"
                      + " lease = CASE WHEN seq < 10 THEN seq END");
              assertThat(plan(handle, WALK_ONCE))
                  .contains("inbox_pending_lane", "inbox_pending_key", "inbox_pending_leased")
                  .doesNotContain("Seq Scan on inbox_pending", "inbox_pending_pkey");
            });
  }

  private static final String WALK =
      "(text, smallint, timestamptz, bigint, text[], text, smallint, text, text, smallint)";
  private static final String WALK_ONCE =
      "('orders', 1::smallint, '-infinity', 0, '{}', 'orders', 1::smallint, 'orders', 'orders',"
          + " 1::smallint)";

  /** The statement with the tables of this schema. */
  private static String here(String statement) {
    return statement.replace("{inbox}.", "");
  }

  private static void prepare(Handle handle, String claim) {
    prepare(handle, claim, "(text, text[], timestamptz, text)");
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
        INSERT INTO inbox_pending (seq, endpoint, type) SELECT seq, 'orders', 'created' FROM m
        """);
  }

  private static String plan(Handle handle) {
    return plan(handle, "('orders', ARRAY['created'], '1970-01-01Z', 'orders')");
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
                                + " WHERE indexrelname = 'inbox_pending_due' AND schemaname = current_schema()"))
                    .isGreaterThanOrEqualTo(21));
    assertThat(
            database.count(
                "SELECT seq_scan FROM pg_stat_user_tables"
                    + " WHERE relname = 'inbox_pending' AND schemaname = current_schema()"))
        .isZero();
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
              handle.execute(Sql.BY_INDEX);
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
