package io.inbox4j.reliability.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jdbi.v3.core.statement.SqlStatements;

/** Prints what everybody is doing, for whoever wonders why a run has not gone on. */
final class Snapshot {

  private static final int LAST_LINES = 40;

  private Snapshot() {}

  static void print(Scene scene) {
    part(
        "published",
        () ->
            "%,d, of these %,d confirmed"
                .formatted(scene.publisher.published(), scene.publisher.confirmed()));
    part("in the queues", () -> "%,d".formatted(scene.rabbit.messagesIn(Walks.queues())));
    part("pending", () -> rows(scene, PENDING));
    part("sessions", () -> rows(scene, SESSIONS));
    for (Walker walker : scene.everybody()) {
      part(
          walker.name() + ", " + walker.role() + ", has logged",
          () -> last(walker.process().errorLines()));
      part(walker.name() + " is at", () -> threads(walker));
    }
  }

  private static final String PENDING =
      """
      SELECT concat_ws(' ', endpoint, 'lane', lane, 'attempts', attempts, 'crashes', crashes,
                       'lease', lease, 'due', due_on_utc - now(), last_error)
      FROM inbox_pending ORDER BY seq LIMIT 20
      """;

  private static final String SESSIONS =
      """
      SELECT concat_ws(' ', pid, application_name, state, wait_event, now() - xact_start,
                       regexp_replace(left(query, 200), '\\s+', ' ', 'g'))
      FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY xact_start
      """;

  private interface Question {
    String answer() throws Exception;
  }

  private static void part(String title, Question question) {
    try {
      System.out.println(title + ": " + question.answer());
    } catch (Exception e) { // what is not known must not hide what is
      System.out.println(title + " is not known: " + e);
    }
  }

  private static String rows(Scene scene, String query) {
    List<String> rows =
        scene
            .tables
            .jdbi()
            .withHandle(
                handle -> {
                  handle.getConfig(SqlStatements.class).setQueryTimeout(10);
                  return handle.createQuery(query).mapTo(String.class).list();
                });
    return rows.size() + "\n  " + String.join("\n  ", rows);
  }

  private static String last(List<String> lines) {
    return "\n  "
        + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  private static String threads(Walker walker) throws IOException {
    Path jstack = Path.of(System.getProperty("java.home"), "bin", "jstack");
    Process process =
        new ProcessBuilder(jstack.toString(), Long.toString(walker.process().pid()))
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
