package io.inbox4j.examples.demo;

import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.generic.GenericType;

/** The demo's schema, which is nobody else's, with the inbox and the business table in it. */
final class DemoDatabase {

  static final String SCHEMA = "inbox_demo";

  /** Without a unique key, so that a doubled effect would show. */
  private static final String PREPARE =
      """
      DROP SCHEMA IF EXISTS inbox_demo CASCADE;
      CREATE SCHEMA inbox_demo;
      CREATE TABLE inbox_demo.invoices (number integer, cents integer, worker bigint);
      """;

  private static final String PROGRESS =
      """
      SELECT (SELECT count(*) FROM inbox_pending)                                   AS pending,
             (SELECT count(*) FROM inbox_processed)                                 AS processed,
             (SELECT count(*) FROM inbox_dead)                                      AS dead,
             (SELECT coalesce(sum(attempts), 0) FROM inbox_pending)
               + (SELECT coalesce(sum(attempts - 1), 0) FROM inbox_processed)
               + (SELECT coalesce(sum(attempts - 1), 0) FROM inbox_dead)            AS retried,
             (SELECT coalesce(extract(epoch FROM now() - min(due_on_utc)), 0)
              FROM inbox_pending WHERE due_on_utc <= now())                         AS lag
      """;

  private final String url;
  private final Jdbi jdbi;

  DemoDatabase(String jdbcUrl) {
    this.url = jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "currentSchema=" + SCHEMA;
    this.jdbi = Jdbi.create(url);
  }

  /** The address of the schema, for a program that the database shall know by this name. */
  String url(String program) {
    return url + "&ApplicationName=" + program;
  }

  /** Begins with an empty schema. */
  void prepare() {
    jdbi.useHandle(handle -> handle.createScript(PREPARE).execute());
  }

  /** What the tables of the inbox say. */
  record Progress(long pending, long processed, long dead, long retried, double lagSeconds) {}

  Progress progress() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(PROGRESS)
                .map(
                    (row, context) ->
                        new Progress(
                            row.getLong("pending"),
                            row.getLong("processed"),
                            row.getLong("dead"),
                            row.getLong("retried"),
                            row.getDouble("lag")))
                .one());
  }

  /**
   * Whether a program has messages in flight: it is in a transaction, in the middle of a handler.
   */
  boolean isInTheMiddle(String program) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "SELECT count(*) > 0 FROM pg_stat_activity"
                        + " WHERE application_name = ? AND state = 'idle in transaction'",
                    program)
                .mapTo(Boolean.class)
                .one());
  }

  /** What the run has led to. */
  Verdict.Found found() {
    return jdbi.withHandle(
        handle -> {
          Map<Integer, Integer> effects =
              handle
                  .createQuery("SELECT number, count(*)::integer AS n FROM invoices GROUP BY 1")
                  .setMapKeyColumn("number")
                  .setMapValueColumn("n")
                  .collectInto(new GenericType<>() {});
          List<Integer> dead =
              handle
                  .createQuery(
                      "SELECT (content ->> 'number')::integer FROM inbox WHERE status = 'dead'")
                  .mapTo(Integer.class)
                  .list();
          List<String> quarantined =
              handle
                  .createQuery("SELECT convert_from(body, 'UTF8') FROM inbox_quarantine")
                  .mapTo(String.class)
                  .list();
          return new Verdict.Found(effects, dead, quarantined);
        });
  }
}
