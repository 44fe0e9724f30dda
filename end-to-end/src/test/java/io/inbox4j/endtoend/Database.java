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
    jdbi.useHandle(
        handle -> handle.execute("CREATE TABLE effects (name text, amount integer, run xid)"));
    return new Database(url, jdbi);
  }

  long count(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  /** How many effects there are. */
  long effects() {
    return count("SELECT count(*) FROM effects");
  }

  /** How many effects this order has. */
  long effectsOf(String order) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT count(*) FROM effects WHERE name = ?")
                .bind(0, order)
                .mapTo(Long.class)
                .one());
  }

  /** The orders that have an effect, in order, each as often as it has one. */
  List<String> orders() {
    return texts("SELECT name FROM effects ORDER BY name");
  }

  /** How many messages were stored. */
  long stored() {
    return count("SELECT count(*) FROM inbox_messages");
  }

  /** How many messages are still to be handled. */
  long pending() {
    return count("SELECT count(*) FROM inbox_pending");
  }

  List<String> texts(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(String.class).list());
  }

  List<Map<String, Object>> rows(String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapToMap().list());
  }
}
