package io.inbox4j.ordering;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The n-th step of something that must be done step by step. */
public record StepTaken(UUID messageId, String walk, int step) implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return walk;
  }
}
