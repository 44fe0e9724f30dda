/** The inbox and its builders, the engine, formats, and the ports for stores and transports. */
@SuppressWarnings("module") // what it exports to is compiled after it
module io.inbox4j.core {
  requires transitive io.inbox4j.api;
  requires transitive tools.jackson.databind;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports io.inbox4j;
  exports io.inbox4j.format;
  exports io.inbox4j.memory;
  exports io.inbox4j.operations;
  exports io.inbox4j.store;
  exports io.inbox4j.transport;
  exports io.inbox4j.internal.log to
      io.inbox4j.cli,
      io.inbox4j.jdbi,
      io.inbox4j.opentelemetry,
      io.inbox4j.rabbitmq;
  exports io.inbox4j.internal.loop to
      io.inbox4j.jdbi,
      io.inbox4j.micrometer,
      io.inbox4j.rabbitmq;
  exports io.inbox4j.internal.receive to
      io.inbox4j.contract,
      io.inbox4j.jdbi;
}
