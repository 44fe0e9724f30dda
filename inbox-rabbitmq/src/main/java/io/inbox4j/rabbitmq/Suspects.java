package io.inbox4j.rabbitmq;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The messages that were in flight when the broker closed the channel because of one of them. Each
 * is sent alone when it is sent again, so that the one is found.
 */
final class Suspects {

  private final Set<UUID> ids = ConcurrentHashMap.newKeySet();

  /** These are suspects, and no others. */
  void are(List<UUID> messages) {
    ids.clear();
    ids.addAll(messages);
  }

  boolean include(AmqpMessage message) {
    return ids.contains(message.id());
  }

  void clear(AmqpMessage message) {
    ids.remove(message.id());
  }
}
