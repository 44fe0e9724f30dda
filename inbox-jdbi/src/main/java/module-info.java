/** The PostgreSQL store on JDBI and HikariCP, with its migrations. */
@SuppressWarnings("requires-transitive-automatic") // its module name is reserved in its manifest
module io.inbox4j.jdbi {
  requires transitive io.inbox4j.core;
  requires transitive java.sql;
  requires transitive org.jdbi.v3.core;
  requires static transitive org.jspecify;
  requires com.zaxxer.hikari;
  requires io.leangen.geantyref; // JDBI needs it, and cannot say so
  requires org.postgresql.jdbc;
  requires org.slf4j;

  exports io.inbox4j.jdbi;
}
