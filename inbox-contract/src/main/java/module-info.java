/** The contracts that stores and transports must fulfil, as JUnit tests to be extended. */
module io.inbox4j.contract {
  requires transitive io.inbox4j.core;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;
  requires org.assertj.core;

  exports io.inbox4j.contract.store;
  exports io.inbox4j.contract.transport;

  opens io.inbox4j.contract.store;
  opens io.inbox4j.contract.transport;
}
