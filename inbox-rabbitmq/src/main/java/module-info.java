/** The RabbitMQ transport. */
@SuppressWarnings("requires-transitive-automatic") // its module name is reserved in its manifest
module io.inbox4j.rabbitmq {
  requires transitive io.inbox4j.core;
  requires transitive com.rabbitmq.client;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports io.inbox4j.rabbitmq;
}
