/** An inbox as a program of its own, and a command line for operators. */
module io.inbox4j.cli {
  requires transitive io.inbox4j.core;
  requires transitive info.picocli;
  requires static transitive org.jspecify;
  requires com.rabbitmq.client;
  requires io.inbox4j.jdbi;
  requires io.inbox4j.micrometer;
  requires io.inbox4j.rabbitmq;
  requires micrometer.core;
  requires micrometer.registry.prometheus;
  requires org.postgresql.jdbc;
  requires org.slf4j;

  exports io.inbox4j.cli;
  exports io.inbox4j.cli.application;

  opens io.inbox4j.cli to
      info.picocli;
  opens io.inbox4j.cli.internal.commands to
      info.picocli;
  opens io.inbox4j.cli.internal.options to
      info.picocli;
  opens io.inbox4j.cli.internal.terminal to
      info.picocli;

  uses io.inbox4j.cli.application.InboxApplication;
}
