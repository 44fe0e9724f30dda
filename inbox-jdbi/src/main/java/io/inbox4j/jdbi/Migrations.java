package io.inbox4j.jdbi;

import io.inbox4j.InboxException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables to the version that this library needs.
 *
 * <p>The scripts are named as Flyway names them and note their version themselves, so it is the
 * same whether the store applies them or the user's own Flyway does.
 */
final class Migrations {

  /** Where Flyway finds the scripts. */
  static final String LOCATION = "classpath:io/inbox4j/migrations";

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);
  static final List<String> SCRIPTS =
      List.of(
          "V1__create_inbox.sql",
          "V2__lease_pause_and_intervene.sql",
          "V3__find_stuck_messages.sql",
          "V4__retain.sql");
  private static final String REMEDY =
      "create them with JdbiInboxStore.migrate(dataSource) as a role that may, or let Flyway apply "
          + LOCATION;
  private static final long LOCK = 0x494E424F58L; // "INBOX"
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final int MAX_ATTEMPTS = 30;

  private final Jdbi jdbi;

  Migrations(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Applies what is missing; processes that start at the same time wait for each other. A table
   * that is in use is waited for a while, then let go and tried again, because those who come later
   * wait behind whoever waits for it.
   */
  void apply() {
    if (jdbi.withHandle(Migrations::version) >= SCRIPTS.size()) {
      return;
    }
    for (int attempt = 1; ; attempt++) {
      try {
        jdbi.useTransaction(Migrations::applyMissing);
        return;
      } catch (InboxException e) {
        if (attempt == MAX_ATTEMPTS || !isLockTimeout(e)) {
          throw e;
        }
        log.warn("A table of the inbox is in use; the migration is tried again");
      }
    }
  }

  private static void applyMissing(Handle handle) {
    handle.createQuery(Sql.LOCK_FOR_MIGRATION).bind("lock", LOCK).mapToMap().list();
    handle.execute(Sql.MIGRATION_LOCK_TIMEOUT);
    for (int next = version(handle) + 1; next <= SCRIPTS.size(); next++) {
      String script = SCRIPTS.get(next - 1);
      log.info("Applying the migration {}", script);
      execute(handle, read(script), next - 1);
    }
  }

  private static boolean isLockTimeout(InboxException e) {
    return e.getCause() instanceof java.sql.SQLException cause
        && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
  }

  /** Checks that nothing is missing. */
  void check() {
    int version = jdbi.withHandle(Migrations::version);
    if (version < SCRIPTS.size()) {
      throw new InboxException(wanting(version) + "; " + REMEDY);
    }
    if (version > SCRIPTS.size()) {
      log.warn(
          "The tables of the inbox have version {}, newer than the {} that this library knows.",
          version,
          SCRIPTS.size());
    }
  }

  private static String wanting(int version) {
    return version == 0
        ? "the tables of the inbox are missing"
        : "the tables of the inbox have version %d, this library needs %d"
            .formatted(version, SCRIPTS.size());
  }

  private static int version(Handle handle) {
    boolean exists = handle.createQuery(Sql.HAS_SCHEMA_TABLE).mapTo(Boolean.class).one();
    return exists ? handle.createQuery(Sql.SCHEMA_VERSION).mapTo(Integer.class).one() : 0;
  }

  private static void execute(Handle handle, String script, int version) {
    try (java.sql.Statement statement = handle.getConnection().createStatement()) {
      statement.execute(script);
    } catch (java.sql.SQLException e) {
      if (Faults.FORBIDDEN.equals(e.getSQLState())) {
        throw new InboxException(
            "%s, and this role may not change them (%s); %s"
                .formatted(wanting(version), e.getMessage(), REMEDY),
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
