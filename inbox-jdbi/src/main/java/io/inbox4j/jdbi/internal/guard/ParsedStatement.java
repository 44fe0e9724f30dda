package io.inbox4j.jdbi.internal.guard;

import io.inbox4j.jdbi.internal.guard.HandlerSql.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** One statement of an SQL text, identified by its first tokens and certain keywords in it. */
final class ParsedStatement {

  private static final int ENOUGH_TO_KNOW = 6;

  private static final Set<String> LOCAL_SETTINGS = Set.of("CONSTRAINTS", "LOCAL", "TRANSACTION");

  private static final Set<String> SESSION_LOCKS =
      Set.of(
          "PG_ADVISORY_LOCK",
          "PG_ADVISORY_LOCK_SHARED",
          "PG_TRY_ADVISORY_LOCK",
          "PG_TRY_ADVISORY_LOCK_SHARED");

  private static final Set<String> TEMPORARY = Set.of("TEMP", "TEMPORARY");

  private static final Set<String> BEFORE_TEMPORARY = Set.of("GLOBAL", "INTO", "LOCAL");

  private static final Set<String> OF_IDENTITY =
      Set.of("ALL", "ROLE", "SCHEMA", "SEARCH_PATH", "SESSION_AUTHORIZATION");

  private final List<String> head = new ArrayList<>(ENOUGH_TO_KNOW);
  private final ConfigCalls configCalls = new ConfigCalls();
  private String before = "";
  private int parentheses;
  private int blocks;
  private boolean locks;
  private boolean temporarySchema;
  private boolean intoTemporary;
  private boolean dropsAtCommit;
  private boolean holds;

  void add(String token) {
    if (head.size() < ENOUGH_TO_KNOW) {
      head.add(token);
    }
    configCalls.add(token);
    switch (token) {
      case "(" -> parentheses++;
      case ")" -> parentheses--;
      case "ATOMIC" -> blocks += beginsBody() ? 1 : 0;
      case "CASE" -> blocks += blocks > 0 ? 1 : 0;
      case "END" -> blocks -= blocks > 0 ? 1 : 0;
      case "HOLD" -> holds |= before.equals("WITH");
      case "DROP" -> dropsAtCommit |= before.equals("COMMIT");
      default -> {
        String name = unquoted(token);
        locks |= SESSION_LOCKS.contains(name);
        boolean inTemporarySchema = name.startsWith("PG_TEMP");
        temporarySchema |= inTemporarySchema;
        intoTemporary |=
            (TEMPORARY.contains(token) && BEFORE_TEMPORARY.contains(before))
                || (inTemporarySchema && before.equals("INTO"));
      }
    }
    before = token;
  }

  /** Whether a semicolon does not end the statement: inside a rule, or in an SQL routine body. */
  boolean isWithin() {
    return parentheses > 0 || blocks > 0;
  }

  /** Whether BEGIN ATOMIC begins the body of a routine, rather than being names in its head. */
  private boolean beginsBody() {
    return before.equals("BEGIN")
        && parentheses == 0
        && at(0).equals("CREATE")
        && (head.contains("FUNCTION") || head.contains("PROCEDURE"));
  }

  boolean isTransactionControl() {
    return switch (at(0)) {
      case "ABORT", "BEGIN", "COMMIT", "END" -> true;
      case "START" -> at(1).equals("TRANSACTION");
      case "PREPARE" -> at(1).equals("TRANSACTION") && at(2).equals(SqlTokens.TEXT);
      case "ROLLBACK" -> !rollsBackToOwnSavepoint();
      case "SAVEPOINT" -> isReservedAt(1);
      case "RELEASE" -> isReservedAt(at(1).equals("SAVEPOINT") && head.size() > 2 ? 2 : 1);
      default -> false;
    };
  }

  private boolean rollsBackToOwnSavepoint() {
    int to = at(1).equals("WORK") || at(1).equals("TRANSACTION") ? 2 : 1;
    int name = at(to + 1).equals("SAVEPOINT") && head.size() > to + 2 ? to + 2 : to + 1;
    return at(to).equals("TO") && !isReservedAt(name);
  }

  private boolean isReservedAt(int index) {
    return HandlerSql.isReserved(unquoted(at(index)));
  }

  /** The name without quotes, in upper case. */
  private static String unquoted(String token) {
    boolean quoted = !token.isEmpty() && token.charAt(0) == SqlTokens.QUOTED;
    return quoted ? token.substring(1).toUpperCase(Locale.ROOT) : token;
  }

  /** What it leaves behind in the session; what functions do internally is not visible. */
  Trace trace() {
    if (changesSettings()) {
      return Trace.SETTINGS;
    }
    boolean leaves =
        switch (at(0)) {
          case "LISTEN", "PREPARE", "UNLISTEN", "DEALLOCATE" -> true;
          case "DECLARE" -> holds;
          case "CREATE" -> isTemporary() && !dropsAtCommit;
          case "SELECT", "WITH" -> intoTemporary;
          default -> false;
        };
    return leaves || locks ? Trace.LEFTOVERS : mayLeaveSomething() ? Trace.UNSEEN : Trace.NONE;
  }

  private boolean mayLeaveSomething() {
    return switch (at(0)) {
      case "CALL", "DO" -> true;
      case "EXPLAIN" -> head.contains("ANALYZE") || head.contains("ANALYSE");
      default -> false;
    };
  }

  private boolean changesSettings() {
    return switch (at(0)) {
      case "SET" -> !LOCAL_SETTINGS.contains(at(1));
      case "RESET", "DISCARD", "LOAD" -> true;
      case "UPDATE" -> head.stream().anyMatch(it -> unquoted(it).equals("PG_SETTINGS"));
      default -> configCalls.outliveTransaction();
    };
  }

  /** Whether it may change the role or the search path, even if only until the transaction ends. */
  boolean mayChangeIdentity() {
    return switch (at(0)) {
      case "SET" -> {
        int name = at(1).equals("LOCAL") || at(1).equals("SESSION") ? 2 : 1;
        yield OF_IDENTITY.contains(unquoted(at(name))) || head.contains("AUTHORIZATION");
      }
      case "RESET", "DISCARD" -> true;
      case "CALL", "DO" -> true;
      default -> configCalls.any();
    };
  }

  /** {@code CREATE [OR REPLACE] [GLOBAL|LOCAL] TEMP …}, or an object in the schema pg_temp. */
  private boolean isTemporary() {
    int kind = at(1).equals("OR") ? 3 : 1;
    return TEMPORARY.contains(BEFORE_TEMPORARY.contains(at(kind)) ? at(kind + 1) : at(kind))
        || temporarySchema;
  }

  private String at(int index) {
    return index < head.size() ? head.get(index) : "";
  }

  /** Its name in an error message, which shows no identifiers or values. */
  String name() {
    return switch (at(0)) {
      case "START", "PREPARE" -> at(0) + " TRANSACTION";
      case "ROLLBACK" -> head.contains("TO") ? "ROLLBACK TO a savepoint of the inbox" : at(0);
      case "RELEASE", "SAVEPOINT" -> at(0) + " of a savepoint of the inbox";
      default -> at(0);
    };
  }
}
