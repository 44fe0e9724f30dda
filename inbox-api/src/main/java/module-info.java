/** What domain code compiles against: events, handlers, middleware, retry policies, listeners. */
@SuppressWarnings("module") // what it exports to is compiled after it
module io.inbox4j.api {
  requires static transitive org.jspecify;

  exports io.inbox4j.error;
  exports io.inbox4j.event;
  exports io.inbox4j.handler;
  exports io.inbox4j.listener;
  exports io.inbox4j.publish;
  exports io.inbox4j.retry;
  exports io.inbox4j.internal to
      io.inbox4j.core,
      io.inbox4j.jdbi,
      io.inbox4j.cli;
}
