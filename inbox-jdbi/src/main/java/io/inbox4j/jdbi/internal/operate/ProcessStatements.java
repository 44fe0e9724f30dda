package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.RegistrySql;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.ProcessInfo.Role;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The statements about running processes. */
public final class ProcessStatements {

  private final Jdbi jdbi;

  /** A type that a process handles, where it arrives at an endpoint. */
  private record Handled(String endpoint, String type) {}

  public ProcessStatements(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public int register(ProcessInfo process, Duration uptime) {
    List<Handled> handled =
        process.handled().entrySet().stream()
            .flatMap(it -> it.getValue().stream().map(type -> new Handled(it.getKey(), type)))
            .toList();
    return jdbi.withHandle(
        handle ->
            handle
                .createUpdate(RegistrySql.REGISTER)
                .bind("id", process.id())
                .bind("name", process.name())
                .bind("host", process.host())
                .bind("pid", process.pid())
                .bind("version", process.version())
                .bind("roles", PgArray.texts(List.copyOf(process.roles()), ProcessStatements::code))
                .bind("endpoints", texts(process.handled().keySet()))
                .bind("handledAt", PgArray.texts(handled, Handled::endpoint))
                .bind("handledTypes", PgArray.texts(handled, Handled::type))
                .bind("uptime", new Interval(uptime))
                .execute());
  }

  public boolean heartbeat(UUID process) {
    return jdbi.withHandle(
            handle -> handle.createUpdate(RegistrySql.HEARTBEAT).bind("id", process).execute())
        > 0;
  }

  public int deregister(UUID process) {
    return jdbi.withHandle(
        handle -> handle.createUpdate(RegistrySql.DEREGISTER).bind("id", process).execute());
  }

  public List<RunningProcess> running() {
    return jdbi.withHandle(
        handle ->
            handle.createQuery(RegistrySql.RUNNING).map((row, context) -> process(row)).list());
  }

  public List<UnhandledType> unhandled(Collection<String> endpoints) {
    return jdbi.inTransaction(handle -> unhandled(handle, endpoints));
  }

  private static List<UnhandledType> unhandled(Handle handle, Collection<String> endpoints) {
    handle.execute(SessionSql.BY_INDEX);
    return handle
        .createQuery(RegistrySql.UNHANDLED)
        .bind("endpoints", texts(endpoints))
        .map(
            (row, context) ->
                new UnhandledType(
                    row.getString("endpoint"),
                    row.getString("type"),
                    row.getBoolean("quarantined")))
        .list();
  }

  private static PgArray texts(Collection<String> texts) {
    return PgArray.texts(List.copyOf(texts), Function.identity());
  }

  private static RunningProcess process(ResultSet row) throws SQLException {
    Map<String, Set<String>> handled = new HashMap<>();
    Row.texts(row, "endpoints").forEach(endpoint -> handled.put(endpoint, new HashSet<>()));
    List<String> at = Row.texts(row, "handled_at");
    List<String> types = Row.texts(row, "handled_types");
    for (int i = 0; i < types.size(); i++) {
      handled.computeIfAbsent(at.get(i), it -> new HashSet<>()).add(types.get(i));
    }
    ProcessInfo info =
        new ProcessInfo(
            row.getObject("id", UUID.class),
            row.getString("name"),
            row.getString("host"),
            row.getLong("pid"),
            row.getString("version"),
            roles(Row.texts(row, "roles")),
            handled);
    return new RunningProcess(
        info, Row.instant(row, "started_on_utc"), Row.instant(row, "seen_on_utc"));
  }

  private static String code(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }

  /** The roles with these names; a newer version may have others. */
  private static Set<Role> roles(List<String> codes) {
    return Arrays.stream(Role.values())
        .filter(role -> codes.contains(code(role)))
        .collect(Collectors.toSet());
  }
}
