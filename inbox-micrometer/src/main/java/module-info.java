/** Metrics of an inbox in a Micrometer registry. */
@SuppressWarnings("requires-transitive-automatic") // its module name is reserved in its manifest
module io.inbox4j.micrometer {
  requires transitive io.inbox4j.core;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports io.inbox4j.micrometer;
}
