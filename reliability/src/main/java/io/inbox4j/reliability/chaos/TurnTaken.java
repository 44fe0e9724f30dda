package io.inbox4j.reliability.chaos;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** A step with a turn, which the old version of the application does not know. */
public record TurnTaken(UUID messageId, String walk, long step, String digest)
    implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return walk;
  }

  StepTaken asStep() {
    return new StepTaken(messageId, walk, step, digest);
  }
}
