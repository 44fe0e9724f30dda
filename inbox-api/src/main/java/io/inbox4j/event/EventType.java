package io.inbox4j.event;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The stable name of an event on the wire and in the tables.
 *
 * <p>Without it the name is the simple class name in kebab case: {@code OrderCreated} is {@code
 * order-created}. Give a name to keep the freedom to rename the class.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventType {

  /** The name, for example {@code orders.order-created}; at most 255 characters. */
  String value();

  /** Names that the event had before; messages that carry one are the same event. */
  String[] aliases() default {};
}
