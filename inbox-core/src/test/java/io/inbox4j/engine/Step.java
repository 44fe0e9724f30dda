package io.inbox4j.engine;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** An event with an order: the n-th step of a walk. */
record Step(UUID messageId, String walk, int n) implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return walk;
  }
}
