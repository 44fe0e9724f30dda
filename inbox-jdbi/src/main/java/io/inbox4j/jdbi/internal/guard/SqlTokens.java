package io.inbox4j.jdbi.internal.guard;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of an SQL text, split as PostgreSQL does: words in upper case, quoted names prefixed
 * with {@link #QUOTED}, {@link #TEXT} for a literal, and every other character by itself. Comments
 * are skipped.
 */
final class SqlTokens {

  /** Prefix of a double-quoted name. */
  static final char QUOTED = '"';

  /** Stands for a single-quoted or dollar-quoted literal. */
  static final String TEXT = "'";

  private final String sql;
  private int at;

  SqlTokens(String sql) {
    this.sql = sql;
  }

  /** The next token, or null after the last one. */
  @Nullable String next() {
    skipBlanksAndComments();
    if (at >= sql.length()) {
      return null;
    }
    char c = sql.charAt(at);
    if (isWordStart(c)) {
      return word();
    }
    if (c == '\'') {
      skipQuoted('\'', false);
      return TEXT;
    }
    if (c == '"') {
      int start = at;
      skipQuoted('"', false);
      return sql.substring(start, Math.max(start + 1, at - 1));
    }
    if (c == '$' && skipBetweenDollars()) {
      return TEXT;
    }
    at++;
    return String.valueOf(c);
  }

  private String word() {
    int start = at++;
    while (at < sql.length() && isWordPart(sql.charAt(at))) {
      at++;
    }
    if (at < sql.length() && sql.charAt(at) == '\'' && at - start == 1) {
      char prefix = sql.charAt(start);
      if ("eEbBxXnN".indexOf(prefix) >= 0) {
        skipQuoted('\'', prefix == 'e' || prefix == 'E');
        return TEXT;
      }
    }
    return sql.substring(start, at).toUpperCase(Locale.ROOT);
  }

  private void skipBlanksAndComments() {
    while (at < sql.length()) {
      if (Character.isWhitespace(sql.charAt(at))) {
        at++;
      } else if (sql.startsWith("--", at)) {
        skipLine();
      } else if (sql.startsWith("/*", at)) {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipLine() {
    while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
      at++;
    }
  }

  /** Comments nest. */
  private void skipComment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  /** A doubled quote is an escaped one and does not end the text. */
  private void skipQuoted(char quote, boolean backslashes) {
    for (at++; at < sql.length(); at++) {
      char c = sql.charAt(at);
      if (c == '\\' && backslashes) {
        at++;
      } else if (c == quote) {
        if (at + 1 >= sql.length() || sql.charAt(at + 1) != quote) {
          at++;
          return;
        }
        at++;
      }
    }
    at = sql.length();
  }

  /** Skips {@code $tag$ … $tag$}; false if it is a parameter instead. */
  private boolean skipBetweenDollars() {
    int end = at + 1;
    while (end < sql.length() && isWordPart(sql.charAt(end)) && sql.charAt(end) != '$') {
      end++;
    }
    boolean isTag =
        end < sql.length() && sql.charAt(end) == '$' && !Character.isDigit(sql.charAt(at + 1));
    if (isTag) {
      String tag = sql.substring(at, end + 1);
      int close = sql.indexOf(tag, end + 1);
      at = close < 0 ? sql.length() : close + tag.length();
    }
    return isTag;
  }

  private static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || (c >= '0' && c <= '9') || c == '$';
  }
}
