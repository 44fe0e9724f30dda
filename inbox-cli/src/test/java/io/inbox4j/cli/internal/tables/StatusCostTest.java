package io.inbox4j.cli.internal.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.cli.Tables;
import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code inbox status} may cost: the same with many messages kept as with few. */
@Timeout(120)
class StatusCostTest {

  private static final int KEPT = 100_000;

  @Test
  void statusLooksAtAFewThousandRowsHoweverManyAreKept() {
    Tables tables = Tables.filled();
    tables.execute(
        """
        INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)
        SELECT 'billing.orders', gen_random_uuid(), 'order-placed', '{}', false
        FROM generate_series(1, %d);
        INSERT INTO inbox_processed (seq, attempts, processed_on_utc)
        SELECT seq, 1, now() FROM inbox_messages WHERE seq > 20;
        """
            .formatted(KEPT));
    tables
        .jdbi()
        .useTransaction(
            handle -> {
              handle.execute(OperatorSql.BY_INDEX_ONLY);
              for (String query :
                  List.of(
                      OperatorSql.ENDPOINTS,
                      OperatorSql.RECEIVED,
                      OperatorSql.PROCESSED,
                      OperatorSql.COUNTS)) {
                assertThat(rows(handle, query)).as(query).isLessThan(KEPT / 10);
              }
            });
  }

  /** The largest number of rows that a step of the plan has seen. */
  private static long rows(Handle handle, String query) {
    String explained =
        "EXPLAIN (ANALYZE, TIMING OFF) "
            + query
                .replace("{inbox}.", "")
                .replace(":exact", "10000")
                .replace(":recent", String.valueOf(EndpointQueries.RECENT))
                .replace(":endpoints", "'{billing.orders}'::text[]");
    return handle.createQuery(explained).mapTo(String.class).list().stream()
        .filter(line -> line.contains("(actual rows="))
        .mapToLong(line -> number(line, "actual rows") * number(line, "loops"))
        .max()
        .orElseThrow();
  }

  private static long number(String line, String name) {
    return Long.parseLong(line.replaceAll(".*" + name + "=(\\d+).*", "$1"));
  }
}
