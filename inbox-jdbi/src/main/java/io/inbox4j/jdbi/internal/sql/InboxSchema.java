package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.error.InboxException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.jspecify.annotations.Nullable;

/**
 * The schema that the tables of an inbox are in.
 *
 * <p>Statements name it as <code>{inbox}</code>, and the channel of its notifications as <code>
 * {channel}</code>; both are filled in once per statement. So no statement depends on the search
 * path, which handlers may change.
 */
public final class InboxSchema implements TemplateEngine {

  private static final int MAX_BYTES = 63;
  private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_]*");
  private static final Pattern UNQUOTABLE = Pattern.compile("['\"\\\\{}]");
  private static final String CHANNEL = "inbox.";
  private static final int MAX_STATEMENTS = 1_000;

  private final Map<String, String> statements = new ConcurrentHashMap<>();
  private volatile @Nullable String name;

  private InboxSchema(@Nullable String name) {
    this.name = name;
  }

  /** The schema of this name; null for the one that the search path leads to. */
  public static InboxSchema of(@Nullable String name) {
    return new InboxSchema(name == null ? null : checked(name));
  }

  /** Checks the name of a schema that somebody chose. */
  public static String checked(String name) {
    if (!PLAIN.matcher(name).matches() || name.length() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "schema is '%s'; expected lower-case letters, digits and underscores, a digit not first, at most %d of them, for example inbox"
              .formatted(name, MAX_BYTES));
    }
    return name;
  }

  /**
   * Its name. If none was given, it is the schema on the connection's search path that has the
   * tables, or else the current one; that is determined once.
   */
  public String name(Connection connection) throws SQLException {
    String known = name;
    if (known == null) {
      known = find(connection);
      name = known;
    }
    return known;
  }

  private static String find(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(MigrationSql.SCHEMA_ON_PATH)) {
      row.next();
      String found = row.getString("schema");
      if (found == null) {
        throw new InboxException(
            "the search path '%s' leads to no schema; expected one that exists, or schema(\"inbox\")"
                .formatted(row.getString("path")));
      }
      if (UNQUOTABLE.matcher(found).find()) {
        throw new InboxException(
            "the schema that the search path leads to is called %s; expected a name without quotes, backslashes and braces, or schema(\"inbox\")"
                .formatted(found));
      }
      return found;
    }
  }

  /** The statement with the schema filled in. */
  public String render(String template, Connection connection) {
    if (template.indexOf('{') < 0) {
      return template;
    }
    String known = statements.get(template);
    return known == null ? filledIn(template, connection) : known;
  }

  private String filledIn(String template, Connection connection) {
    String schema;
    try {
      schema = name(connection);
    } catch (SQLException e) {
      throw SqlErrors.translated(e);
    }
    String statement =
        template.replace("{inbox}", '"' + schema + '"').replace("{channel}", channel(schema));
    if (statements.size() >= MAX_STATEMENTS) { // some contain the names of partitions
      statements.clear();
    }
    statements.put(template, statement);
    return statement;
  }

  private static String channel(String schema) {
    byte[] bytes = schema.getBytes(StandardCharsets.UTF_8);
    return CHANNEL
        + (bytes.length <= MAX_BYTES - CHANNEL.length() ? schema : UUID.nameUUIDFromBytes(bytes));
  }

  /** Prepares a statement without JDBI. */
  public PreparedStatement prepare(Connection connection, String template) throws SQLException {
    return connection.prepareStatement(render(template, connection));
  }

  @Override
  public String render(String template, StatementContext context) {
    return render(template, context.getConnection());
  }

  @Override
  public Optional<Function<StatementContext, String>> parse(
      String template, ConfigRegistry config) {
    return Optional.of(context -> render(template, context));
  }
}
