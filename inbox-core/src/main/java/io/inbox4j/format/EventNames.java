package io.inbox4j.format;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Derives the stable name of an event class. */
final class EventNames {

  /** The maximum length of a name, in characters: what AMQP's type property can hold. */
  static final int MAX_LENGTH = 255;

  private EventNames() {}

  /** The value of {@link EventType}, or the simple class name in kebab case. */
  static String of(Class<? extends IntegrationEvent> event) {
    EventType annotation = event.getAnnotation(EventType.class);
    return check(annotation == null ? kebab(event.getSimpleName()) : annotation.value(), event);
  }

  /** The name, followed by the aliases. */
  static List<String> allOf(Class<? extends IntegrationEvent> event) {
    List<String> names = new ArrayList<>(List.of(of(event)));
    EventType annotation = event.getAnnotation(EventType.class);
    if (annotation != null) {
      for (String alias : annotation.aliases()) {
        names.add(check(alias, event));
      }
    }
    return names;
  }

  static String check(String name, Class<? extends IntegrationEvent> event) {
    if (name.isBlank() || name.length() > MAX_LENGTH || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the event type '%s' of %s is no name; expected 1 to %d characters that are not blank"
              .formatted(name, event.getName(), MAX_LENGTH));
    }
    return name;
  }

  private static String kebab(String simpleName) {
    return simpleName
        .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
        .replaceAll("([A-Z]+)([A-Z][a-z])", "$1-$2")
        .toLowerCase(Locale.ROOT);
  }
}
