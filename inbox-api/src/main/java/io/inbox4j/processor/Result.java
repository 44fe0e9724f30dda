package io.inbox4j.processor;

import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a message in a batch: its outcome, and the failure that led to it, if any. */
record Result(StoredMessage message, int attempt, Outcome outcome, @Nullable Throwable failure) {

  static List<Outcome> outcomes(List<Result> results) {
    return results.stream().map(Result::outcome).toList();
  }

  static boolean anyFailed(List<Result> results) {
    return results.stream().anyMatch(result -> result.failure() != null);
  }
}
