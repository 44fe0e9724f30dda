package io.inbox4j.jdbi;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what the SQL of a handler would do besides its work: end the inbox's transaction.
 *
 * <p>Handlers repeat themselves, so what was found out about a text is kept.
 */
final class HandlerSql {

  private static final int MAX_KEPT = 1_000;
  private static final int MAX_KEPT_LENGTH = 4_000;

  private static final Set<String> BEGIN_OR_END = Set.of("ABORT", "BEGIN", "COMMIT", "END");

  private final Map<String, String> kept = new ConcurrentHashMap<>();

  /** The statement in it that would begin or end a transaction, or null if there is none. */
  @Nullable String endOfTransaction(String sql) {
    String found = kept.get(sql);
    if (found == null) {
      found = find(sql);
      if (sql.length() <= MAX_KEPT_LENGTH) {
        if (kept.size() >= MAX_KEPT) {
          kept.clear();
        }
        kept.put(sql, found);
      }
    }
    return found.isEmpty() ? null : found;
  }

  /** Whether a savepoint of this name is the inbox's. */
  static boolean isReserved(String savepoint) {
    return savepoint.toLowerCase(Locale.ROOT).startsWith("inbox_");
  }

  private static String find(String sql) {
    SqlTokens tokens = new SqlTokens(sql);
    Statement statement = new Statement();
    for (String token = tokens.next(); token != null; token = tokens.next()) {
      if (!token.equals(";") || statement.isWithin()) {
        statement.add(token);
      } else if (statement.isTransactionControl()) {
        return statement.name();
      } else {
        statement = new Statement();
      }
    }
    return statement.isTransactionControl() ? statement.name() : "";
  }

  /** One of the statements of a text. */
  private static final class Statement {

    private static final int ENOUGH_TO_KNOW = 6;

    private final List<String> head = new ArrayList<>(ENOUGH_TO_KNOW);
    private int parentheses;
    private int blocks;

    void add(String token) {
      if (head.size() < ENOUGH_TO_KNOW) {
        head.add(token);
      }
      switch (token) {
        case "(" -> parentheses++;
        case ")" -> parentheses--;
        case "BEGIN" -> blocks += isRoutine() ? 1 : 0;
        case "CASE" -> blocks += blocks > 0 ? 1 : 0;
        case "END" -> blocks -= blocks > 0 ? 1 : 0;
        default -> {}
      }
    }

    /** Whether a semicolon would not end it: that of a rule, or of a routine's body in SQL. */
    boolean isWithin() {
      return parentheses > 0 || blocks > 0;
    }

    private boolean isRoutine() {
      return at(0).equals("CREATE") && (head.contains("FUNCTION") || head.contains("PROCEDURE"));
    }

    boolean isTransactionControl() {
      return switch (at(0)) {
        case "START" -> at(1).equals("TRANSACTION");
        case "PREPARE" -> at(1).equals("TRANSACTION") && at(2).equals(SqlTokens.TEXT);
        case "ROLLBACK" -> !rollsBackToOwnSavepoint();
        case "SAVEPOINT" -> isReservedAt(1);
        case "RELEASE" -> isReservedAt(at(1).equals("SAVEPOINT") && head.size() > 2 ? 2 : 1);
        default -> BEGIN_OR_END.contains(at(0));
      };
    }

    private boolean rollsBackToOwnSavepoint() {
      int to = at(1).equals("WORK") || at(1).equals("TRANSACTION") ? 2 : 1;
      int name = at(to + 1).equals("SAVEPOINT") && head.size() > to + 2 ? to + 2 : to + 1;
      return at(to).equals("TO") && !isReservedAt(name);
    }

    private boolean isReservedAt(int index) {
      String name = at(index);
      return isReserved(name.startsWith("\"") ? name.substring(1) : name);
    }

    private String at(int index) {
      return index < head.size() ? head.get(index) : "";
    }

    /** What it is called in a message; names and values in it are not shown. */
    String name() {
      return switch (at(0)) {
        case "ABORT", "BEGIN", "COMMIT", "END" -> at(0);
        case "START", "PREPARE" -> at(0) + " TRANSACTION";
        case "ROLLBACK" -> rollsBackTo() ? "ROLLBACK TO a savepoint of the inbox" : "ROLLBACK";
        default -> at(0) + " of a savepoint of the inbox";
      };
    }

    private boolean rollsBackTo() {
      return head.contains("TO");
    }
  }
}
