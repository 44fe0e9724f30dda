package io.inbox4j.reliability.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Compares what was published with what became of it. It knows nothing of the product. */
public final class Checker {

  private final History history;
  private final Map<Message, Publish> published = new HashMap<>();
  private final Map<Message, List<Effect>> effects = new HashMap<>();
  private final Map<Message, String> kept = new HashMap<>();

  /** A message of an endpoint. */
  private record Message(String endpoint, String id) {

    static Message of(String endpoint, UUID id) {
      return new Message(endpoint, id.toString());
    }

    @Override
    public String toString() {
      return id + " of " + endpoint;
    }
  }

  private Checker(History history) {
    this.history = history;
    history.published().forEach(it -> published.put(Message.of(it.endpoint(), it.id()), it));
    for (Effect effect : history.effects()) {
      effects
          .computeIfAbsent(Message.of(effect.endpoint(), effect.id()), id -> new ArrayList<>())
          .add(effect);
    }
    List.of(history.dead(), history.quarantined(), history.pending())
        .forEach(list -> list.forEach(it -> kept.put(messageOf(it), it.why())));
  }

  private static Message messageOf(Kept kept) {
    return new Message(kept.endpoint(), String.valueOf(kept.id()));
  }

  public static Verdict check(History history) {
    return new Checker(history).verdict();
  }

  private Verdict verdict() {
    return new Verdict(
        lost(), doubled(), unexpected(), handledAndKept(), outOfOrder(), deadLettered(), stuck());
  }

  private List<String> lost() {
    return history.published().stream()
        .filter(Publish::confirmed)
        .filter(it -> isNowhere(Message.of(it.endpoint(), it.id())))
        .map(
            it ->
                "%s, step %d of %s, published at %s"
                    .formatted(Message.of(it.endpoint(), it.id()), it.step(), it.key(), it.at()))
        .toList();
  }

  private boolean isNowhere(Message message) {
    return !effects.containsKey(message) && !kept.containsKey(message);
  }

  private List<String> doubled() {
    return effects.entrySet().stream()
        .filter(it -> it.getValue().size() > 1)
        .map(it -> "%s, %d times".formatted(it.getKey(), it.getValue().size()))
        .toList();
  }

  private List<String> unexpected() {
    List<String> found = new ArrayList<>();
    effects.forEach(
        (message, all) -> {
          Publish publish = published.get(message);
          if (publish == null) {
            found.add(message + " was handled and never published");
          } else if (!all.stream().allMatch(effect -> isOf(effect, publish))) {
            found.add(message + " was handled with another body");
          }
        });
    kept.keySet().stream()
        .filter(message -> !published.containsKey(message))
        .forEach(message -> found.add(message + " is kept and was never published"));
    return found;
  }

  private static boolean isOf(Effect effect, Publish publish) {
    return effect.digest().equals(publish.digest())
        && effect.key().equals(publish.key())
        && effect.step() == publish.step();
  }

  private List<String> handledAndKept() {
    return kept.entrySet().stream()
        .filter(it -> effects.containsKey(it.getKey()))
        .map(it -> it.getKey() + ": " + it.getValue())
        .toList();
  }

  /** Of every key, the steps may have gaps but never go back. */
  private List<String> outOfOrder() {
    List<String> found = new ArrayList<>();
    Map<List<String>, Effect> last = new HashMap<>();
    history.effects().stream()
        .sorted(Comparator.comparingLong(Effect::place))
        .forEach(
            effect -> {
              Effect before = last.put(List.of(effect.endpoint(), effect.key()), effect);
              String wrong = wrongAfter(before, effect);
              if (wrong != null) {
                found.add(wrong);
              }
            });
    return found;
  }

  private static @Nullable String wrongAfter(@Nullable Effect before, Effect effect) {
    return before != null && before.step() > effect.step()
        ? "%s of %s: step %d at %s after step %d at %s"
            .formatted(
                effect.key(),
                effect.endpoint(),
                effect.step(),
                effect.at(),
                before.step(),
                before.at())
        : null;
  }

  /** What was stored before the broker gave up on it is in good hands. */
  private List<String> deadLettered() {
    return history.deadLettered().stream()
        .filter(it -> isNowhere(messageOf(it)))
        .map(it -> messageOf(it) + ": " + it.why())
        .toList();
  }

  private List<String> stuck() {
    return history.pending().stream().map(it -> messageOf(it) + ": " + it.why()).toList();
  }
}
