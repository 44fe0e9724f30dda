package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.retain.RetentionScan.Task;
import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.operations.Retention;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.statement.SqlStatement;

/**
 * The age from which messages are old, for each endpoint that has one. Other endpoints are left
 * alone.
 */
record RetentionWindows(List<Window> all) {

  /**
   * The window of one endpoint.
   *
   * @param archive whether its messages are moved to the archive
   */
  record Window(String endpoint, Duration age, boolean archive) {}

  static RetentionWindows of(Task task, Map<String, Retention> kept) {
    return new RetentionWindows(
        kept.entrySet().stream()
            .filter(it -> task.concerns(it.getValue()))
            .map(it -> window(it.getKey(), it.getValue(), task))
            .sorted(Comparator.comparing(Window::endpoint))
            .toList());
  }

  private static Window window(String endpoint, Retention retention, Task task) {
    return new Window(
        endpoint, Objects.requireNonNull(task.age(retention)), retention.archive() != null);
  }

  /** The windows for which everything of this age is old. */
  RetentionWindows upTo(Duration age) {
    return new RetentionWindows(all.stream().filter(it -> it.age.compareTo(age) <= 0).toList());
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  List<String> endpoints() {
    return all.stream().map(Window::endpoint).toList();
  }

  /** Endpoints with their ages: a scan for another age has skipped some rows. */
  List<String> endpointsAndAges() {
    return all.stream().map(it -> it.age.toSeconds() + " s " + it.endpoint).toList();
  }

  /** The shortest age: nothing younger is old for any endpoint. */
  Duration shortest() {
    return all.stream().map(Window::age).min(Comparator.naturalOrder()).orElseThrow();
  }

  <T extends SqlStatement<T>> T bindTo(T statement) {
    return statement
        .bind("endpoints", PgArray.texts(all, Window::endpoint))
        .bind("ages", PgArray.texts(all, it -> it.age.toString()))
        .bind("archives", PgArray.booleans(all, Window::archive))
        .bind("shortest", new Interval(shortest()));
  }
}
