package io.inbox4j.processor;

import io.inbox4j.store.StoredMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker has claimed.
 *
 * @param fresh messages that nobody has died over
 * @param suspects messages that were in hand when a worker died or gave up, for the first time
 * @param loners suspects whose worker died over them again
 */
record Claimed(
    List<StoredMessage> fresh, List<StoredMessage> suspects, List<StoredMessage> loners) {

  static Claimed of(List<StoredMessage> messages) {
    Claimed claimed =
        new Claimed(new ArrayList<>(messages.size()), new ArrayList<>(), new ArrayList<>());
    for (StoredMessage message : messages) {
      if (!message.suspect()) {
        claimed.fresh.add(message);
      } else if (message.crashes() == 0) {
        claimed.suspects.add(message);
      } else {
        claimed.loners.add(message);
      }
    }
    return claimed;
  }

  int size() {
    return fresh.size() + suspects.size() + loners.size();
  }
}
