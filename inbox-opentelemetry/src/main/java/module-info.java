/** Traces of an inbox with OpenTelemetry. */
@SuppressWarnings("requires-transitive-automatic") // its module name is reserved in its manifest
module io.inbox4j.opentelemetry {
  requires transitive io.inbox4j.core;
  requires transitive io.opentelemetry.api;
  requires io.opentelemetry.context;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports io.inbox4j.opentelemetry;
}
