package io.inbox4j.reliability.chaos;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event of every run: the next step of a walk. */
public record StepTaken(UUID messageId, String walk, long step, String digest)
    implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return walk;
  }
}
