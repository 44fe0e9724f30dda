package io.inbox4j.event;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The stable name of an event on the wire and in the tables.
 *
 * <p>Without the annotation the name is the simple class name in kebab case: {@code OrderCreated}
 * becomes {@code order-created}. Set an explicit name so that the class can be renamed later.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventType {

  /** The name, for example {@code orders.order-created}; at most 255 characters. */
  String value();

  /** Earlier names of the event; messages that carry one of them are read as this event. */
  String[] aliases() default {};
}
