package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.transport.Binding;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares what an endpoint needs at the broker, or checks that it exists.
 *
 * <p>Each declaration has its own channel, because a refusal closes the channel.
 */
final class TopologyDeclaration {

  private static final Logger log = LoggerFactory.getLogger(TopologyDeclaration.class);
  private static final String DEAD_LETTER_SUFFIX = ".dead-letter";
  private static final String LIMIT = "x-delivery-limit";
  private static final int DEAD_LETTER_DELIVERY_LIMIT = 1_000_000;
  private static final Set<String> WARNED_OF = ConcurrentHashMap.newKeySet();
  private static final Pattern INEQUIVALENT =
      Pattern.compile("inequivalent arg '([^']+)' for .*: received (.+) but current is (.+?)(,|$)");

  private final Connection connection;
  private final ReceiveEndpoint endpoint;

  TopologyDeclaration(Connection connection, ReceiveEndpoint endpoint) {
    this.connection = connection;
    this.endpoint = endpoint;
  }

  /**
   * Declares everything.
   *
   * @throws TopologyException if the broker refuses
   */
  void declare() throws IOException, TimeoutException {
    if (endpoint.topology().kind() == Topology.Kind.EXISTING) {
      refusable(ofQueue(), channel -> channel.queueDeclarePassive(endpoint.queue()));
    } else {
      if (endpoint.topology().deadLetterExchange() == null) {
        declareDeadLetters(endpoint.queue() + DEAD_LETTER_SUFFIX);
      }
      refusable(
          ofQueue(),
          channel ->
              channel.queueDeclare(
                  endpoint.queue(),
                  true,
                  false,
                  false,
                  arguments(endpoint.queue(), endpoint.topology())));
    }
    bind();
  }

  private void declareDeadLetters(String name) throws IOException, TimeoutException {
    refusable(
        Declared.exchange(name),
        channel -> channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true));
    declareDeadLetterQueue(name);
    refusable(Declared.queue(name), channel -> channel.queueBind(name, name, ""));
  }

  /** A queue that was declared before, with another limit or with none, is used as it is. */
  private void declareDeadLetterQueue(String name) throws IOException, TimeoutException {
    Map<String, Object> arguments = deadLetterArguments(endpoint.topology());
    Refused refused = tryTo(channel -> channel.queueDeclare(name, true, false, false, arguments));
    if (refused != null && LIMIT.equals(refused.argument())) {
      Map<String, Object> asBefore = new HashMap<>(arguments);
      asBefore.remove(LIMIT);
      refused = tryTo(channel -> channel.queueDeclare(name, true, false, false, asBefore));
      if (refused == null) {
        warnOfDefaultLimit(name);
      } else if (LIMIT.equals(refused.argument())) {
        refused = tryTo(channel -> channel.queueDeclarePassive(name));
      }
    }
    if (refused != null) {
      throw refusal(Declared.queue(name), refused);
    }
  }

  private static void warnOfDefaultLimit(String name) {
    if (WARNED_OF.add(name)) {
      log.warn(
          "{} was declared without a delivery limit. From RabbitMQ 4 on it drops a message that was"
              + " taken from it and not acknowledged 21 times, unless a policy says otherwise:"
              + " rabbitmqctl set_policy -p VHOST --apply-to queues {} '^{}$' '{\"delivery-limit\":{}}'",
          name,
          name,
          name.replace(".", "\\."),
          DEAD_LETTER_DELIVERY_LIMIT);
    }
  }

  /**
   * The arguments of a dead-letter queue. It has no dead-letter exchange, so what exceeds the
   * delivery limit is dropped, and since RabbitMQ 4 a quorum queue has a limit of 20 unless it
   * declares another; RabbitMQ 3 has no way to declare that there is no limit.
   */
  static Map<String, Object> deadLetterArguments(Topology topology) {
    return topology.kind() == Topology.Kind.QUORUM
        ? Map.of("x-queue-type", "quorum", LIMIT, DEAD_LETTER_DELIVERY_LIMIT)
        : Map.of("x-queue-type", "classic");
  }

  static Map<String, Object> arguments(String queue, Topology topology) {
    if (topology.kind() == Topology.Kind.EXISTING) {
      return Map.of();
    }
    String exchange = topology.deadLetterExchange();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-queue-type", type(topology));
    arguments.put(
        "x-dead-letter-exchange", exchange == null ? queue + DEAD_LETTER_SUFFIX : exchange);
    if (topology.singleActiveConsumer()) {
      arguments.put("x-single-active-consumer", true);
    }
    if (topology.kind() == Topology.Kind.QUORUM) {
      arguments.put(LIMIT, topology.deliveryLimit());
      // At-least-once dead-lettering requires this overflow behaviour.
      arguments.put("x-dead-letter-strategy", "at-least-once");
      arguments.put("x-overflow", "reject-publish");
    }
    return arguments;
  }

  private static String type(Topology topology) {
    return topology.kind() == Topology.Kind.QUORUM ? "quorum" : "classic";
  }

  private void bind() throws IOException, TimeoutException {
    Set<String> exchanges = new LinkedHashSet<>();
    endpoint.bindings().forEach(binding -> exchanges.add(binding.exchange()));
    Map<String, Refused> undeclared = new HashMap<>();
    for (String exchange : exchanges) {
      Refused refused = declareExchange(connection, exchange);
      if (refused != null) {
        undeclared.put(exchange, refused); // it may be there all the same: binding will tell
      }
    }
    for (Binding binding : endpoint.bindings()) {
      bind(binding, undeclared.get(binding.exchange()));
    }
  }

  private void bind(Binding binding, @Nullable Refused undeclared)
      throws IOException, TimeoutException {
    Refused refused =
        tryTo(
            channel ->
                channel.queueBind(endpoint.queue(), binding.exchange(), binding.routingKey()));
    if (refused != null) {
      throw refusal(
          Declared.exchange(binding.exchange()), undeclared == null ? refused : undeclared);
    }
  }

  /**
   * Declares an exchange as a durable topic exchange unless there is one, of whatever type.
   *
   * @return why the broker refuses that, or null if the exchange is there. Some versions do not
   *     tell whether there is one to a user who may not declare it
   */
  static @Nullable Refused declareExchange(Connection connection, String exchange)
      throws IOException, TimeoutException {
    if (tryTo(connection, channel -> channel.exchangeDeclarePassive(exchange)) == null) {
      return null;
    }
    Refused refused =
        tryTo(
            connection,
            channel -> channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true));
    return refused != null && refused.argument() != null
        ? null // somebody else has just declared another one
        : refused;
  }

  private Declared ofQueue() {
    return Declared.queue(endpoint.queue());
  }

  /** What is being declared, as an error names it. */
  private record Declared(String kind, String name) {

    static Declared queue(String name) {
      return new Declared("queue", name);
    }

    static Declared exchange(String name) {
      return new Declared("exchange", name);
    }

    @Override
    public String toString() {
      return "%s '%s'".formatted(kind, name);
    }
  }

  private interface Declaration {
    Object on(Channel channel) throws IOException;
  }

  /** A refusal by the broker, with its reply. */
  record Refused(AMQP.Channel.Close close, IOException failure) {

    /** What the broker says. */
    String text() {
      return close.getReplyText();
    }

    /** The argument that differs from that of an existing queue, or null. */
    @Nullable String argument() {
      Matcher difference = INEQUIVALENT.matcher(close.getReplyText());
      return close.getReplyCode() == AMQP.PRECONDITION_FAILED && difference.find()
          ? difference.group(1)
          : null;
    }
  }

  private void refusable(Declared declared, Declaration declaration)
      throws IOException, TimeoutException {
    Refused refused = tryTo(declaration);
    if (refused != null) {
      throw refusal(declared, refused);
    }
  }

  private TopologyException refusal(Declared declared, Refused refused) {
    return new TopologyException(endpoint.queue(), explain(declared, refused), refused.failure());
  }

  /** Returns why the broker refuses it, or null if it does not. */
  private @Nullable Refused tryTo(Declaration declaration) throws IOException, TimeoutException {
    return tryTo(connection, declaration);
  }

  private static @Nullable Refused tryTo(Connection connection, Declaration declaration)
      throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the broker allows no more channels on the connection");
    }
    try {
      declaration.on(channel);
      channel.close();
      return null;
    } catch (IOException e) {
      AMQP.Channel.Close close = refusalIn(e);
      if (close == null) {
        throw e;
      }
      return new Refused(close, e);
    }
  }

  static AMQP.Channel.@Nullable Close refusalIn(IOException failure) {
    return failure.getCause() instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
        ? close
        : null;
  }

  private String explain(Declared declared, Refused refused) {
    AMQP.Channel.Close refusal = refused.close();
    String text = refusal.getReplyText();
    Matcher difference = INEQUIVALENT.matcher(text);
    if (refusal.getReplyCode() == AMQP.PRECONDITION_FAILED && difference.find()) {
      return "the %s exists with another '%s': it has %s, this subscription asks for %s; %s"
          .formatted(
              declared,
              difference.group(1),
              difference.group(3),
              difference.group(2),
              remedy(declared));
    }
    if (isBoundTo(declared)) {
      return "the queue '%s' cannot be bound to the %s: %s; grant 'write' on the queue, 'read' on the exchange and 'configure' on one that does not exist, or name other exchanges with bind(…), or none with unbound()"
          .formatted(endpoint.queue(), declared, text);
    }
    if (refusal.getReplyCode() == AMQP.NOT_FOUND) {
      return "the queue '%s' does not exist, and Topology.existing() declares nothing; create it, or let Topology.quorum() do so (%s)"
          .formatted(endpoint.queue(), text);
    }
    return "the broker refuses the endpoint '%s': %s".formatted(endpoint.queue(), text);
  }

  private boolean isBoundTo(Declared declared) {
    return endpoint.bindings().stream()
        .anyMatch(binding -> declared.equals(Declared.exchange(binding.exchange())));
  }

  /** Suggests deleting something only where that cannot silently lose messages. */
  private String remedy(Declared declared) {
    return declared.equals(ofQueue())
        ? "ask for the same, take the queue as it is with Topology.existing(), or delete it once it"
            + " is empty"
        : "dead letters of '%s' go there: name a dead-letter exchange of your own with deadLetterExchange(…), or delete the %s once nothing in it is needed"
            .formatted(endpoint.queue(), declared);
  }
}
