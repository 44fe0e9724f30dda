package io.inbox4j.jdbi.internal.guard;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The side effects of a handler's SQL text on its transaction and session.
 *
 * @param ending the statement in it that would begin or end a transaction, or null
 * @param trace what it leaves behind in the session after the transaction has ended
 * @param identity whether it may change the role or the search path, even if only for the
 *     transaction
 */
record HandlerSql(@Nullable String ending, Trace trace, boolean identity) {

  /** A literal that names one of them, or a setting name that is not just a literal. */
  private static final Pattern NAMES_IDENTITY =
      Pattern.compile(
          "role|schema|search_path|authorization|\\ball\\b"
              + "|set_config\"?\\s*\\((?!\\s*'[^']*'\\s*,)",
          Pattern.CASE_INSENSITIVE);

  /** What outlives a transaction, in ascending order of severity. */
  enum Trace {
    NONE,
    /**
     * Possibly something: the contents of blocks, procedures and prepared plans are not inspected.
     */
    UNSEEN,
    /** Temporary tables, advisory locks, cursors, prepared statements, LISTEN channels. */
    LEFTOVERS,
    /** Settings and the role: their previous values are unknown. */
    SETTINGS;

    Trace and(Trace other) {
      return compareTo(other) >= 0 ? this : other;
    }
  }

  static HandlerSql of(String text) {
    SqlTokens tokens = new SqlTokens(text);
    Trace trace = Trace.NONE;
    boolean identity = false;
    ParsedStatement statement = new ParsedStatement();
    for (String token = tokens.next(); ; token = tokens.next()) {
      if (token != null && (!token.equals(";") || statement.isWithin())) {
        statement.add(token);
        continue;
      }
      trace = trace.and(statement.trace());
      identity |= statement.mayChangeIdentity();
      if (statement.isTransactionControl()) {
        return new HandlerSql(statement.name(), trace, false);
      }
      if (token == null) {
        return new HandlerSql(null, trace, identity && changesIdentity(text));
      }
      statement = new ParsedStatement();
    }
  }

  private static boolean changesIdentity(String text) {
    return NAMES_IDENTITY.matcher(text).find();
  }

  /** Whether a savepoint of this name belongs to the inbox. */
  static boolean isReserved(String savepoint) {
    return savepoint.toLowerCase(Locale.ROOT).startsWith("inbox_");
  }

  /** A cache of analysed SQL texts. Handlers repeat themselves, so most have been seen before. */
  static final class Known {

    private static final int MAX_TEXTS = 1_000;
    private static final int MAX_LENGTH = 4_000;

    private final Map<String, HandlerSql> texts = new ConcurrentHashMap<>();

    HandlerSql of(String text) {
      HandlerSql known = texts.get(text);
      if (known == null) {
        known = HandlerSql.of(text);
        keep(text, known);
      }
      return known;
    }

    private void keep(String text, HandlerSql known) {
      if (text.length() <= MAX_LENGTH) {
        if (texts.size() >= MAX_TEXTS) {
          texts.clear();
        }
        texts.put(text, known);
      }
    }
  }
}
