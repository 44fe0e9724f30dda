package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.loop.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the tables to the version that this library requires.
 *
 * <p>The scripts follow Flyway's naming and record their version themselves, so the result is the
 * same whether the store or the user's own Flyway applies them.
 */
public final class Migrations {

  /** The location of the scripts for Flyway. */
  static final String LOCATION = "classpath:io/inbox4j/migrations";

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);
  private static final List<String> SCRIPTS =
      List.of("V1__create_inbox.sql", "V2__create_outbox.sql");
  private static final Pattern NAME = Pattern.compile("V(\\d+)__.*");
  private static final String REMEDY =
      "create them with JdbiInboxStore.migrate(dataSource) as a role that may, or let Flyway apply "
          + LOCATION;
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String DEADLOCK = "40P01";
  private static final int MAX_ATTEMPTS = 30;
  private static final Duration PATIENCE_WITH_OTHERS = Duration.ofMinutes(10);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final Jdbi jdbi;
  private final InboxSchema schema;
  private final BooleanSupplier closed;
  private final List<String> scripts;

  /**
   * @param jdbi one that fills in the schema
   * @param closed whether the store has been closed, which ends waiting
   */
  public Migrations(Jdbi jdbi, InboxSchema schema, BooleanSupplier closed) {
    this(jdbi, schema, closed, SCRIPTS);
  }

  /**
   * @param scripts the names of the scripts, in order
   */
  public Migrations(Jdbi jdbi, InboxSchema schema, BooleanSupplier closed, List<String> scripts) {
    this.jdbi = jdbi;
    this.schema = schema;
    this.closed = closed;
    this.scripts = scripts;
  }

  /**
   * Applies missing scripts; processes that start at the same time wait for each other. A lock on a
   * table that is in use is awaited for a while, then given up and retried, because later lock
   * requests queue up behind it. Every script is its own transaction, so that none holds a lock on
   * one table while the next waits for another. None of this waits once the store is closed.
   */
  public void apply() {
    if (jdbi.withHandle(this::missing).isEmpty()) {
      return;
    }
    for (int attempt = 1; ; attempt++) {
      requireNotClosed();
      try {
        boolean applied;
        do {
          applied = jdbi.inTransaction(this::applyNext);
        } while (applied);
        return;
      } catch (InboxException e) {
        if (attempt == MAX_ATTEMPTS || !isInUse(e)) {
          throw e;
        }
        log.warn("A table of the inbox is in use; the migration is tried again");
      }
    }
  }

  /** Applies the first missing script; false if none is missing. */
  private boolean applyNext(Handle handle) {
    awaitOthers(handle);
    handle.execute(MigrationSql.MIGRATION_LOCK_TIMEOUT);
    List<String> missing = missing(handle);
    if (missing.isEmpty()) {
      return false;
    }
    String script = missing.get(0);
    String name = name(handle);
    log.info("Applying the migration {} to the schema {}", script, name);
    if (!handle
        .createQuery(MigrationSql.HAS_SCHEMA)
        .bind("schema", name)
        .mapTo(Boolean.class)
        .one()) {
      execute(handle, MigrationSql.CREATE_SCHEMA, "the schema %s is missing".formatted(name));
    }
    handle.execute(MigrationSql.USE_SCHEMA);
    execute(handle, read(script), wanting(script, name));
    return true;
  }

  /**
   * Waits until no other process applies a script, without blocking in the database, where closing
   * the store could not reach it.
   */
  private void awaitOthers(Handle handle) {
    Deadline deadline = Deadline.in(PATIENCE_WITH_OTHERS);
    boolean told = false;
    while (!handle.createQuery(MigrationSql.LOCK_FOR_MIGRATION).mapTo(Boolean.class).one()) {
      requireNotClosed();
      if (deadline.hasPassed()) {
        throw new InboxException(
            "another session has been migrating the schema %s for %s; end it if it hangs: it holds an advisory lock in pg_locks"
                .formatted(name(handle), PATIENCE_WITH_OTHERS));
      }
      if (!told) {
        log.info("Another process migrates the schema {}; waiting for it", name(handle));
        told = true;
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK_EVERY.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InboxException("interrupted while another process migrates the tables", e);
    }
  }

  private void requireNotClosed() {
    if (closed.getAsBoolean()) {
      throw new InboxException("the store is closed; its tables were not migrated");
    }
  }

  private String name(Handle handle) {
    return name(handle, schema);
  }

  static String name(Handle handle, InboxSchema schema) {
    try {
      return schema.name(handle.getConnection());
    } catch (java.sql.SQLException e) {
      throw SqlErrors.translated(e);
    }
  }

  private static boolean isInUse(InboxException e) {
    return e.getCause() instanceof java.sql.SQLException cause
        && (LOCK_NOT_AVAILABLE.equals(cause.getSQLState()) || DEADLOCK.equals(cause.getSQLState()));
  }

  /** Checks that no script is missing. */
  public void check() {
    List<String> missing = jdbi.withHandle(this::missing);
    if (!missing.isEmpty()) {
      throw new InboxException(
          wanting(missing.get(0), jdbi.withHandle(this::name)) + "; " + REMEDY);
    }
    int newest = jdbi.withHandle(Migrations::applied).stream().reduce(0, Math::max);
    if (newest > newest(scripts)) {
      log.warn(
          "The tables of the inbox have version {}, newer than the {} that this library knows.",
          newest,
          newest(scripts));
    }
  }

  private String wanting(String firstMissing, String schema) {
    int first = scripts.indexOf(firstMissing);
    return first == 0
        ? "the tables of the inbox are missing in the schema " + schema
        : "the tables of the inbox in the schema %s have version %d, this library needs %d"
            .formatted(schema, versionOf(scripts.get(first - 1)), newest(scripts));
  }

  /** The version that this library requires. */
  public static int newest() {
    return newest(SCRIPTS);
  }

  private static int newest(List<String> scripts) {
    return versionOf(scripts.get(scripts.size() - 1));
  }

  private static int versionOf(String script) {
    Matcher name = NAME.matcher(script);
    if (!name.matches()) {
      throw new IllegalStateException(
          "'%s' is not named as Flyway names scripts".formatted(script));
    }
    return Integer.parseInt(name.group(1));
  }

  /** The scripts that have not been applied, in order. */
  private List<String> missing(Handle handle) {
    Set<Integer> applied = applied(handle);
    return scripts.stream().filter(script -> !applied.contains(versionOf(script))).toList();
  }

  private static Set<Integer> applied(Handle handle) {
    boolean exists = handle.createQuery(MigrationSql.HAS_MIGRATIONS).mapTo(Boolean.class).one();
    return exists
        ? new HashSet<>(
            handle.createQuery(MigrationSql.MIGRATION_VERSIONS).mapTo(Integer.class).list())
        : Set.of();
  }

  private void execute(Handle handle, String sql, String wanting) {
    try (java.sql.Statement statement = handle.getConnection().createStatement()) {
      statement.execute(schema.render(sql, handle.getConnection()));
    } catch (java.sql.SQLException e) {
      if (SqlErrors.FORBIDDEN.equals(e.getSQLState())) {
        throw new InboxException(
            "%s, and this role may not change that (%s); %s"
                .formatted(wanting, e.getMessage(), REMEDY),
            e);
      }
      throw new InboxException("a migration of the inbox failed: " + e.getMessage(), e);
    }
  }

  private static String read(String script) {
    try (InputStream in =
        Migrations.class.getResourceAsStream("/io/inbox4j/migrations/" + script)) {
      if (in == null) {
        throw new InboxException("the migration %s is not on the class path".formatted(script));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
