package io.inbox4j.internal.run;

import io.inbox4j.store.ClaimedMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages that a worker has claimed, by how they have to run.
 *
 * @param fresh messages that are not orphaned
 * @param orphans messages orphaned for the first time: in flight when a worker died or gave up
 * @param isolated orphaned messages that were marked as a crash risk before and have to run alone
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
