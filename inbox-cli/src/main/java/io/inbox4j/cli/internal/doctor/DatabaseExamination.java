package io.inbox4j.cli.internal.doctor;

import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.tables.ExaminedDatabase;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.jdbi.internal.sql.PgArray;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Examines the tables, their indexes and plans, and the server. */
public final class DatabaseExamination {

  private static final Logger log = LoggerFactory.getLogger(DatabaseExamination.class);
  private static final int OLDEST_SERVER = 140_000;
  private static final long MANY_DEAD_ROWS = 100_000;
  private static final Duration MAX_SKEW = Duration.ofSeconds(1);

  private static final List<String> INDEXES =
      List.of(
          "inbox_messages_identity",
          "inbox_messages_seq",
          "inbox_pending_pkey",
          "inbox_pending_parked",
          "inbox_pending_parked_lane",
          "inbox_pending_parked_key",
          "inbox_pending_crashed",
          "inbox_pending_leased",
          "inbox_processed_seq",
          "inbox_dead_pkey",
          "inbox_dead_blocked",
          "inbox_quarantine_once",
          "inbox_quarantine_unknown",
          "inbox_interventions_seq",
          "inbox_archive_id",
          "inbox_archive_age",
          "inbox_retention_policy_once",
          "inbox_attempts_number",
          "inbox_attempts_fingerprint",
          "inbox_processes_pkey");

  /** Statements, each with the index that makes it fast. */
  private static final Map<String, String> PLANS = new LinkedHashMap<>();

  static {
    PLANS.put(DoctorSql.PLAN_CLAIM, "inbox_pending_pkey");
    PLANS.put(DoctorSql.PLAN_PARKED, "inbox_pending_parked");
    PLANS.put(DoctorSql.PLAN_KEY, "inbox_pending_parked_key");
    PLANS.put(DoctorSql.PLAN_READ, "inbox_messages_seq");
    PLANS.put(DoctorSql.PLAN_IDENTITY, "inbox_messages_identity");
    PLANS.put(DoctorSql.PLAN_PROCESSED, "inbox_processed_default_seq_idx");
  }

  private final ExaminedDatabase database;
  private final Clock clock;
  private final List<Diagnosis> findings = new ArrayList<>();

  /** True unless the tables are known to be missing or outdated. */
  private boolean hasTables = true;

  public DatabaseExamination(ExaminedDatabase database, Clock clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Runs all checks. A check that cannot be made says why, and does not prevent the others. */
  public List<Diagnosis> examine() {
    try {
      database.look(handle -> true);
      findings.add(Diagnosis.ok("database", database.place + " answers"));
      check("schema", () -> look(this::schema));
      if (hasTables) {
        check("indexes", () -> look(this::indexes));
        check("plans", () -> look(this::plans));
        check("vacuum", () -> look(this::vacuum));
        check("transactions", () -> findings.addAll(StatusDiagnosis.of(database)));
      }
      check("settings", () -> look(this::settings));
      check("pooler", () -> look(this::pooler));
      check("clock", () -> look(this::skew));
    } catch (ConnectionException e) {
      DatabaseObstacle obstacle = DatabaseObstacle.of(e);
      findings.add(
          Diagnosis.wrong(
              "database",
              "%s gives no connection: %s".formatted(database.place, obstacle.detail()),
              obstacle.remedy()));
    }
    return findings;
  }

  private void look(Consumer<Handle> check) {
    database.look(
        handle -> {
          check.accept(handle);
          return true;
        });
  }

  private void check(String name, Runnable check) {
    try {
      check.run();
    } catch (ConnectionException e) {
      throw e;
    } catch (RuntimeException e) {
      DatabaseObstacle obstacle = DatabaseObstacle.of(e);
      findings.add(
          Diagnosis.wrong(name, "could not be looked at: " + obstacle.detail(), obstacle.remedy()));
    }
  }

  private void schema(Handle handle) {
    int version = EndpointQueries.version(handle);
    int needed = JdbiInboxStore.schemaVersion();
    hasTables = version >= needed;
    if (version == 0) {
      findings.add(Diagnosis.wrong("schema", "the tables are missing", "run inbox migrate"));
    } else if (version < needed) {
      findings.add(
          Diagnosis.wrong(
              "schema",
              "the tables have version %d, this program needs %d".formatted(version, needed),
              "run inbox migrate"));
    } else if (version > needed) {
      findings.add(
          Diagnosis.warning(
              "schema",
              "the tables have version %d, this program knows %d".formatted(version, needed),
              "use the version of the workers"));
    } else {
      findings.add(Diagnosis.ok("schema", "version " + version));
    }
  }

  private void indexes(Handle handle) {
    int before = findings.size();
    handle
        .createQuery(DoctorSql.INDEXES)
        .bind("names", PgArray.texts(INDEXES, Function.identity()))
        .map((row, context) -> index(row))
        .list();
    if (findings.size() == before) {
      findings.add(Diagnosis.ok("indexes", "all %d are there".formatted(INDEXES.size())));
    }
  }

  private boolean index(ResultSet row) throws SQLException {
    String name = row.getString("name");
    if (!row.getBoolean("there")) {
      findings.add(
          Diagnosis.wrong(
              "indexes",
              name + " is missing",
              "create it as the migrations do, with CREATE INDEX CONCURRENTLY"));
    } else if (!row.getBoolean("valid")) {
      findings.add(
          Diagnosis.wrong("indexes", name + " is not valid", "REINDEX INDEX CONCURRENTLY " + name));
    }
    return true;
  }

  /**
   * Plans without sequential scans, as the inbox does; so an empty table tells as much as a full
   * one.
   */
  private void plans(Handle handle) {
    int before = findings.size();
    handle.execute(DoctorSql.NO_SEQUENTIAL_SCAN);
    PLANS.forEach(
        (statement, index) -> {
          String plan = String.join("\n", handle.createQuery(statement).mapTo(String.class).list());
          if (!plan.contains(" " + index + " on ")) {
            findings.add(
                Diagnosis.wrong(
                    "plans",
                    "a statement of the inbox does not use " + index,
                    "see that the index is there and valid, then ANALYZE its table"));
          }
        });
    if (findings.size() == before) {
      findings.add(Diagnosis.ok("plans", "the frequent statements use their indexes"));
    }
  }

  private void vacuum(Handle handle) {
    int before = findings.size();
    handle.createQuery(DoctorSql.VACUUM).map((row, context) -> vacuum(row)).list();
    if (findings.size() == before) {
      findings.add(Diagnosis.ok("vacuum", "no table has many dead rows"));
    }
  }

  private boolean vacuum(ResultSet row) throws SQLException {
    String table = row.getString("table_name");
    long dead = row.getLong("dead");
    if (row.getBoolean("off")) {
      findings.add(
          Diagnosis.wrong(
              "vacuum",
              "autovacuum is switched off for " + table,
              "ALTER TABLE %s RESET (autovacuum_enabled)".formatted(table)));
    }
    if (dead > MANY_DEAD_ROWS && dead > row.getLong("live")) {
      long since = row.getLong("since");
      String last =
          row.wasNull()
              ? "was never vacuumed"
              : "was vacuumed %s ago".formatted(DurationText.of(Duration.ofSeconds(since)));
      findings.add(
          Diagnosis.warning(
              "vacuum",
              "%s has %d dead rows, and %s".formatted(table, dead, last),
              "end old transactions, see below; then VACUUM " + table));
    }
    return true;
  }

  private void settings(Handle handle) {
    handle.createQuery(DoctorSql.SETTINGS).map((row, context) -> settings(row)).one();
  }

  private boolean settings(ResultSet row) throws SQLException {
    int before = findings.size();
    if (row.getInt("version") < OLDEST_SERVER) {
      findings.add(
          Diagnosis.wrong(
              "server",
              "PostgreSQL " + row.getString("version_text"),
              "upgrade it to 14 or newer"));
    }
    for (String name : List.of("fsync", "full_page_writes", "synchronous_commit", "autovacuum")) {
      if (row.getString(name).equals("off")) {
        findings.add(
            Diagnosis.wrong(
                "settings",
                name + " is off" + (name.equals("autovacuum") ? "" : ": a crash loses messages"),
                "set it to on for this database"));
      }
    }
    if (row.getString("read_only").equals("on")) {
      findings.add(
          row.getBoolean("standby")
              ? Diagnosis.wrong(
                  "settings",
                  "the server is read-only: it is a standby",
                  "connect to the primary, or name all servers in the URL:"
                      + " jdbc:postgresql://db1,db2/shop; if the primary is gone, promote this one")
              : Diagnosis.wrong(
                  "settings",
                  "the server is read-only: default_transaction_read_only is on",
                  "reset it, with ALTER ROLE, ALTER DATABASE or ALTER SYSTEM, wherever it is set"));
    }
    int used = row.getInt("connections");
    int max = row.getInt("max_connections");
    if (used > max * 0.9) {
      findings.add(
          Diagnosis.warning(
              "settings",
              "%d of %d connections are in use".formatted(used, max),
              "smaller pools, fewer processes, or a higher max_connections"));
    }
    if (findings.size() == before) {
      findings.add(
          Diagnosis.ok(
              "settings",
              "PostgreSQL %s, synchronous_commit %s, %d of %d connections in use"
                  .formatted(
                      row.getString("version_text"),
                      row.getString("synchronous_commit"),
                      used,
                      max)));
    }
    return true;
  }

  /** A pooler makes up the process id that a client is told when it connects. */
  private void pooler(Handle handle) {
    try {
      int told = handle.getConnection().unwrap(PGConnection.class).getBackendPID();
      if (handle.createQuery(DoctorSql.SESSION).mapTo(Integer.class).one() != told) {
        findings.add(
            Diagnosis.ok(
                "pooler",
                "there is one before the server; if it shares sessions (PgBouncer in transaction"
                    + " mode), workers need --notifications-url to hear of new messages at once"));
      }
    } catch (SQLException e) {
      log.debug("It is not known whether there is a pooler", e);
    }
  }

  private void skew(Handle handle) {
    Instant asked = clock.instant();
    Instant there =
        handle.createQuery(DoctorSql.CLOCK).mapTo(OffsetDateTime.class).one().toInstant();
    Instant answered = clock.instant();
    Instant here = asked.plus(Duration.between(asked, answered).dividedBy(2));
    Duration skew = Duration.between(there, here);
    String detail =
        "this machine's is %s %s the database's"
            .formatted(DurationText.of(skew.abs()), skew.isNegative() ? "behind" : "ahead of");
    findings.add(
        skew.abs().compareTo(MAX_SKEW) > 0
            ? Diagnosis.warning(
                "clock",
                detail,
                "synchronize the clocks; the inbox goes by the database's, logs do not")
            : Diagnosis.ok("clock", detail));
  }
}
