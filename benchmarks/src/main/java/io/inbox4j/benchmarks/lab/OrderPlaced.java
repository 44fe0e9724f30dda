package io.inbox4j.benchmarks.lab;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event that is measured with; its note fills the body up to 1 KB. */
@EventType(Orders.TYPE)
public record OrderPlaced(UUID messageId, String order, int amount, String note)
    implements IntegrationEvent {

  /** What a handler that has something to do does. */
  public static final String INSERT = "INSERT INTO effects (name, amount) VALUES (?, ?)";
}
