package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.error.InboxException;
import java.util.List;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The rights of the role on the inbox's tables.
 *
 * <p>Some are not needed before something goes wrong, such as those on the history of failed
 * attempts, so they are checked beforehand. What the role is for shows in what it may insert: one
 * that receives stores messages, one that handles them notes what was processed, one that publishes
 * stores outgoing messages, one that sends them notes that it does. A role that may do none of that
 * is for reading or for operators, and nothing is expected of it.
 */
public final class RoleRights {

  /** Columns are enough; rows are deleted as a whole. */
  private static final String MISSING =
      """
      SELECT needed.name, string_agg(needed.privilege, ', ') AS privileges,
             quote_ident(current_user) AS role
      FROM (VALUES ('inbox_messages', 'inbox_messages', 'SELECT'),
                   ('inbox_messages', 'inbox_pending', 'INSERT'),
                   ('inbox_messages', 'inbox_quarantine', 'SELECT'),
                   ('inbox_messages', 'inbox_quarantine', 'INSERT'),
                   ('inbox_processed', 'inbox_messages', 'SELECT'),
                   ('inbox_processed', 'inbox_pending', 'SELECT'),
                   ('inbox_processed', 'inbox_pending', 'UPDATE'),
                   ('inbox_processed', 'inbox_pending', 'DELETE'),
                   ('inbox_processed', 'inbox_dead', 'SELECT'),
                   ('inbox_processed', 'inbox_dead', 'INSERT'),
                   ('inbox_processed', 'inbox_attempts', 'SELECT'),
                   ('inbox_processed', 'inbox_attempts', 'INSERT'),
                   ('inbox_processed', 'inbox_attempts', 'DELETE'),
                   ('inbox_processed', 'inbox_paused', 'SELECT'),
                   ('outbox_messages', 'outbox_scheduled', 'INSERT'),
                   ('outbox_messages', 'outbox_seq', 'USAGE'),
                   ('outbox_relay', 'outbox_relay', 'SELECT'),
                   ('outbox_relay', 'outbox_relay', 'UPDATE'),
                   ('outbox_relay', 'outbox_relay', 'DELETE'),
                   ('outbox_relay', 'outbox_messages', 'SELECT'),
                   ('outbox_relay', 'outbox_messages', 'INSERT'),
                   ('outbox_relay', 'outbox_messages', 'DELETE'),
                   ('outbox_relay', 'outbox_scheduled', 'SELECT'),
                   ('outbox_relay', 'outbox_scheduled', 'UPDATE'),
                   ('outbox_relay', 'outbox_scheduled', 'DELETE'),
                   ('outbox_relay', 'outbox_dead', 'SELECT'),
                   ('outbox_relay', 'outbox_dead', 'INSERT'))
           AS needed (who_inserts_into, name, privilege)
      WHERE has_any_column_privilege('{inbox}.' || needed.who_inserts_into, 'INSERT')
        AND NOT CASE needed.privilege
                WHEN 'DELETE' THEN has_table_privilege('{inbox}.' || needed.name, 'DELETE')
                WHEN 'USAGE' THEN has_sequence_privilege('{inbox}.' || needed.name, 'USAGE')
                ELSE has_any_column_privilege('{inbox}.' || needed.name, needed.privilege) END
      GROUP BY needed.name ORDER BY needed.name
      """;

  private record Missing(String table, String privileges, String role) {

    String grant(String schema) {
      String kind = privileges.equals("USAGE") ? "SEQUENCE " : "";
      return "GRANT %s ON %s\"%s\".%s TO %s".formatted(privileges, kind, schema, table, role);
    }
  }

  private RoleRights() {}

  /**
   * Checks that a role that may receive or handle messages may do everything that belongs to it.
   *
   * @throws InboxException if it may not; the message has the statements that grant it
   */
  public static void check(Handle handle, InboxSchema schema) {
    List<Missing> missing =
        handle
            .createQuery(MISSING)
            .map(
                (row, context) ->
                    new Missing(
                        row.getString("name"), row.getString("privileges"), row.getString("role")))
            .list();
    if (!missing.isEmpty()) {
      String name = Migrations.name(handle, schema);
      throw new InboxException(
          "the role %s lacks rights that its work needs: %s; run %s (SECURITY.md lists all rights)"
              .formatted(
                  missing.get(0).role(),
                  missing.stream()
                      .map(it -> it.privileges() + " on " + it.table())
                      .collect(Collectors.joining(", ")),
                  missing.stream().map(it -> it.grant(name)).collect(Collectors.joining("; "))));
    }
  }
}
