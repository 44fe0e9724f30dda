package io.inbox4j.internal.run;

import io.inbox4j.store.ClaimedMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker has claimed.
 *
 * @param fresh messages that nobody has died over
 * @param orphans messages that were in hand when a worker died or gave up, for the first time
 * @param isolated orphans whose worker died over them again
 */
public record ClaimedBatch(
    List<ClaimedMessage> fresh, List<ClaimedMessage> orphans, List<ClaimedMessage> isolated) {

  public static ClaimedBatch of(List<ClaimedMessage> messages) {
    ClaimedBatch claimed =
        new ClaimedBatch(new ArrayList<>(messages.size()), new ArrayList<>(), new ArrayList<>());
    for (ClaimedMessage message : messages) {
      if (!message.orphaned()) {
        claimed.fresh.add(message);
      } else if (message.crashes() == 0) {
        claimed.orphans.add(message);
      } else {
        claimed.isolated.add(message);
      }
    }
    return claimed;
  }

  int size() {
    return fresh.size() + orphans.size() + isolated.size();
  }
}
