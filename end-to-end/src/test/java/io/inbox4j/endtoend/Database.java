package io.inbox4j.endtoend;

import io.inbox4j.testkit.PostgresServer;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** A database with a business table that has no unique key, so that a doubled effect shows. */
record Database(String url, Jdbi jdbi) {

  /** A fresh one on the shared server. */
  static Database fresh() {
    return at(PostgresServer.shared().newDatabase());
  }

  /** A fresh one at the given address. */
  static Database at(String url) {
    Jdbi jdbi = Jdbi.create(url);
    jdbi.useHandle(handle -> handle.execute("CREATE TABLE effects (name text, amount integer)"));
    return new Database(url, jdbi);
  }

  long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  /** How many effects there are. */
  long effects() {
    return count("SELECT count(*) FROM effects");
  }

  /** How many different effects there are; fewer than {@link #effects} if some are doubled. */
  long distinctEffects() {
    return count("SELECT count(DISTINCT name) FROM effects");
  }

  List<Map<String, Object>> rows(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapToMap().list());
  }
}
