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
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Declares what an endpoint needs at the broker, or checks that it is there.
 *
 * <p>Everything is declared on a channel of its own, because a refusal closes the channel.
 */
final class TopologyDeclaration {

  private static final String DEAD_LETTER_SUFFIX = ".dead-letter";
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
      refusable(channel -> channel.queueDeclarePassive(endpoint.queue()));
    } else {
      if (endpoint.topology().deadLetterExchange() == null) {
        declareDeadLetters(endpoint.queue() + DEAD_LETTER_SUFFIX);
      }
      refusable(
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
    refusable(channel -> channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true));
    refusable(
        channel ->
            channel.queueDeclare(
                name, true, false, false, Map.of("x-queue-type", type(endpoint.topology()))));
    refusable(channel -> channel.queueBind(name, name, ""));
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
      arguments.put("x-delivery-limit", topology.deliveryLimit());
      // Dead letters move only when their new queue has them; that needs this overflow behaviour.
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
    for (String exchange : exchanges) {
      if (!exists(exchange)) {
        refusable(channel -> channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true));
      }
    }
    for (Binding binding : endpoint.bindings()) {
      refusable(
          channel -> channel.queueBind(endpoint.queue(), binding.exchange(), binding.routingKey()));
    }
  }

  private boolean exists(String exchange) throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    try {
      channel.exchangeDeclarePassive(exchange);
      channel.close();
      return true;
    } catch (IOException e) {
      AMQP.Channel.Close close = refusalIn(e);
      if (close != null && close.getReplyCode() == AMQP.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private interface Declaration {
    Object on(Channel channel) throws IOException;
  }

  private void refusable(Declaration declaration) throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    try {
      declaration.on(channel);
      channel.close();
    } catch (IOException e) {
      AMQP.Channel.Close close = refusalIn(e);
      if (close == null) {
        throw e;
      }
      throw new TopologyException(endpoint.queue(), explain(close), e);
    }
  }

  static AMQP.Channel.@Nullable Close refusalIn(IOException failure) {
    return failure.getCause() instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
        ? close
        : null;
  }

  private String explain(AMQP.Channel.Close refusal) {
    String text = refusal.getReplyText();
    Matcher difference = INEQUIVALENT.matcher(text);
    if (refusal.getReplyCode() == AMQP.PRECONDITION_FAILED && difference.find()) {
      return ("the queue '%s' exists with another '%s': it has %s, this subscription asks for %s;"
              + " ask for the same, take the queue as it is with Topology.existing(), or delete it")
          .formatted(
              endpoint.queue(), difference.group(1), difference.group(3), difference.group(2));
    }
    if (refusal.getReplyCode() == AMQP.NOT_FOUND) {
      return "the queue '%s' does not exist, and Topology.existing() declares nothing; create it, or let Topology.quorum() do so (%s)"
          .formatted(endpoint.queue(), text);
    }
    return "the broker refuses the endpoint '%s': %s".formatted(endpoint.queue(), text);
  }
}
