package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** Resolves an event class to its concrete classes: itself, or all that a sealed type permits. */
public final class SealedFamily {

  private SealedFamily() {}

  /**
   * The concrete classes of an event class or sealed family.
   *
   * @throws IllegalArgumentException if it is abstract and not sealed
   */
  public static <T extends IntegrationEvent> List<Class<? extends T>> of(Class<T> event) {
    List<Class<? extends T>> members = new ArrayList<>();
    collect(event, event, members);
    return members;
  }

  private static <T extends IntegrationEvent> void collect(
      Class<T> family, Class<?> member, List<Class<? extends T>> members) {
    if (member.isSealed()) {
      for (Class<?> permitted : member.getPermittedSubclasses()) {
        collect(family, permitted, members);
      }
    }
    if (!isAbstract(member)) {
      members.add(member.asSubclass(family));
    } else if (!member.isSealed()) {
      throw abstractClass(member);
    }
  }

  static <T extends IntegrationEvent> Class<T> concrete(Class<T> event) {
    if (isAbstract(event)) {
      throw abstractClass(event);
    }
    return event;
  }

  private static boolean isAbstract(Class<?> event) {
    return event.isInterface() || Modifier.isAbstract(event.getModifiers());
  }

  private static IllegalArgumentException abstractClass(Class<?> event) {
    return new IllegalArgumentException(
        "%s is abstract and not sealed; expected a record or class that implements IntegrationEvent, or a sealed family of them"
            .formatted(event.getName()));
  }
}
