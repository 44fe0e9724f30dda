package io.inbox4j.transport;

/**
 * A queue's binding to an exchange under a routing key.
 *
 * @param exchange declared as a durable topic exchange unless it exists
 * @param routingKey the key or pattern
 */
public record Binding(String exchange, String routingKey) {

  public Binding {
    if (exchange.isBlank()) {
      throw new IllegalArgumentException(
          "the exchange to bind to is blank; every queue is bound to the default exchange already");
    }
  }
}
