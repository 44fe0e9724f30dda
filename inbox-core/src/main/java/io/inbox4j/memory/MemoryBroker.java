package io.inbox4j.memory;

import io.inbox4j.transport.Binding;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.ReceiveEndpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link InMemoryTransport} shares with its siblings: queues, and what they are bound to.
 */
final class MemoryBroker {

  private final Map<String, MemoryQueue> queues = new ConcurrentHashMap<>();
  private final Map<String, Set<Binding>> bindings = new ConcurrentHashMap<>();
  private volatile @Nullable String blocked;

  /** The queue of this name, which comes into being when it is used. */
  MemoryQueue queue(String name) {
    return queues.computeIfAbsent(name, it -> new MemoryQueue());
  }

  /** The queue of an endpoint, which stays bound. */
  MemoryQueue bound(ReceiveEndpoint endpoint) {
    bindings
        .computeIfAbsent(endpoint.queue(), it -> ConcurrentHashMap.newKeySet())
        .addAll(endpoint.bindings());
    return queue(endpoint.queue());
  }

  /** The queues that a message goes to. */
  List<MemoryQueue> route(OutgoingMessage message) {
    String name = message.destination().name();
    if (message.destination() instanceof OutgoingMessage.Queue) {
      MemoryQueue queue = queues.get(name);
      return queue == null ? List.of() : List.of(queue);
    }
    return bindings.entrySet().stream()
        .filter(bound -> bound.getValue().stream().anyMatch(it -> routes(it, name, message.type())))
        .map(bound -> queue(bound.getKey()))
        .toList();
  }

  private static boolean routes(Binding binding, String topic, String routingKey) {
    return binding.exchange().equals(topic)
        && matches(words(binding.routingKey()), words(routingKey));
  }

  private static List<String> words(String key) {
    return Arrays.asList(key.split("\\.", -1));
  }

  /** Matches as a topic exchange does: {@code *} is a word, {@code #} any number of words. */
  private static boolean matches(List<String> pattern, List<String> words) {
    if (pattern.isEmpty()) {
      return words.isEmpty();
    }
    List<String> rest = pattern.subList(1, pattern.size());
    if (pattern.get(0).equals("#")) {
      return matches(rest, words)
          || (!words.isEmpty() && matches(pattern, words.subList(1, words.size())));
    }
    return !words.isEmpty()
        && (pattern.get(0).equals("*") || pattern.get(0).equals(words.get(0)))
        && matches(rest, words.subList(1, words.size()));
  }

  /** Why no messages are accepted at present, or null. */
  @Nullable String blocked() {
    return blocked;
  }

  void block(@Nullable String reason) {
    blocked = reason;
  }
}
