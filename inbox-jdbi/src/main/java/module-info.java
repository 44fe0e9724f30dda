/** The PostgreSQL store on JDBI and HikariCP, with its migrations. */
// the module name of JDBI is reserved in its manifest; what this exports to is compiled after it
@SuppressWarnings({"requires-transitive-automatic", "module"})
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
  exports io.inbox4j.jdbi.internal.operate to
      io.inbox4j.cli;
  exports io.inbox4j.jdbi.internal.sql to
      io.inbox4j.cli;
}
