package io.inbox4j.internal.run;

import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message of a batch with its outcome and the failure that led to it, if any. */
public record HandledMessage(
    ClaimedMessage message, int attempt, Outcome outcome, @Nullable Throwable failure) {

  public static List<Outcome> outcomes(List<HandledMessage> results) {
    return results.stream().map(HandledMessage::outcome).toList();
  }

  public static boolean anyFailed(List<HandledMessage> results) {
    return results.stream().anyMatch(result -> result.failure() != null);
  }
}
