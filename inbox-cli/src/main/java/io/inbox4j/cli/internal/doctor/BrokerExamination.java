package io.inbox4j.cli.internal.doctor;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.inbox4j.cli.internal.broker.Broker;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.transport.Topology;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Examines the queues at the broker without changing anything there. */
public final class BrokerExamination {

  private static final int FIRST_WITH_A_DEFAULT_LIMIT = 4;
  private static final String LIMIT = "x-delivery-limit";

  private final BrokerOptions options;
  private final List<Diagnosis> findings = new ArrayList<>();

  public BrokerExamination(BrokerOptions options) {
    this.options = options;
  }

  /**
   * Examines the queues.
   *
   * @param queues the queues to examine
   * @param subscribed how the service subscribes some of them
   */
  public List<Diagnosis> examine(Collection<String> queues, Map<String, Topology> subscribed) {
    try (Connection connection = Broker.connect(options, "inbox doctor")) {
      findings.add(Diagnosis.ok("broker", options.place() + " answers"));
      for (String queue : queues) {
        examine(connection, queue, subscribed.get(queue));
      }
    } catch (IOException | TimeoutException e) {
      findings.add(
          Diagnosis.wrong(
              "broker",
              "%s does not answer: %s".formatted(options.place(), Broker.refusal(e)),
              "see that it runs, and that the user and the virtual host are right"));
    }
    return findings;
  }

  private void examine(Connection connection, String queue, @Nullable Topology subscribed)
      throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    AMQP.Queue.DeclareOk there;
    try {
      there = channel.queueDeclarePassive(queue);
      channel.close();
    } catch (IOException e) {
      findings.add(
          Diagnosis.wrong(
              "queue",
              "%s: %s".formatted(queue, Broker.refusal(e)),
              "start a receiver, which declares it"));
      return;
    }
    String seen =
        "%s: %d messages, %d consumers"
            .formatted(queue, there.getMessageCount(), there.getConsumerCount());
    findings.add(
        there.getConsumerCount() == 0
            ? Diagnosis.warning("queue", seen, "start a process that receives")
            : Diagnosis.ok("queue", seen));
    if (subscribed == null) {
      compareArguments(connection, queue, Topology.quorum(), "Topology.quorum() declares it");
      deadLetters(connection, queue, Topology.quorum());
    } else if (subscribed.kind() != Topology.Kind.EXISTING) {
      compareArguments(connection, queue, subscribed, "the service declares it");
      if (subscribed.deadLetterExchange() == null) {
        deadLetters(connection, queue, subscribed);
      }
    }
  }

  /**
   * Declares the existing queue with these arguments: the broker refuses if one differs, and says
   * which.
   */
  private void compareArguments(
      Connection connection, String queue, Topology topology, String asSomebodyDoes)
      throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    try {
      Map<String, Object> arguments = RabbitTransport.queueArguments(queue, topology);
      channel.queueDeclare(queue, true, false, false, arguments);
      channel.close();
      findings.add(Diagnosis.ok("arguments", "%s: as %s".formatted(queue, asSomebodyDoes)));
    } catch (IOException e) {
      findings.add(
          Diagnosis.warning(
              "arguments",
              "%s: not as %s: %s".formatted(queue, asSomebodyDoes, Broker.refusal(e)),
              "subscribe it as it is, or delete it once it is empty: a receiver declares it anew"));
    }
  }

  private void deadLetters(Connection connection, String queue, Topology topology)
      throws IOException, TimeoutException {
    String name = queue + Broker.DEAD_LETTER_SUFFIX;
    Channel channel = connection.createChannel();
    try {
      int letters = channel.queueDeclarePassive(name).getMessageCount();
      channel.close();
      if (letters > 0) {
        findings.add(
            Diagnosis.warning(
                "dead letters",
                "%s: %d messages that the broker has given up delivering, because receivers died over them or could not store them; none is lost"
                    .formatted(name, letters),
                "see that receivers run, then inbox recover %s; do not purge it".formatted(queue)));
      }
      deliveryLimit(connection, name, topology);
    } catch (IOException e) {
      findings.add(
          Diagnosis.warning(
              "dead letters",
              "%s: %s".formatted(name, Broker.refusal(e)),
              "start a receiver, which declares it: without it the broker drops what it gives up"
                  + " delivering"));
    }
  }

  /** Declares the queue the way receivers do, which changes nothing for an existing one. */
  private void deliveryLimit(Connection connection, String name, Topology topology)
      throws IOException, TimeoutException {
    Map<String, Object> arguments = RabbitTransport.deadLetterArguments(topology);
    if (majorVersion(connection) < FIRST_WITH_A_DEFAULT_LIMIT || !arguments.containsKey(LIMIT)) {
      return;
    }
    Channel channel = connection.createChannel();
    try {
      channel.queueDeclare(name, true, false, false, arguments);
      channel.close();
    } catch (IOException e) {
      String refusal = Broker.refusal(e);
      if (refusal.contains(LIMIT)) {
        findings.add(
            Diagnosis.warning(
                "dead letters",
                "%s: its own delivery limit is not %s, so that it may drop what was taken from it and not acknowledged 21 times: %s"
                    .formatted(name, arguments.get(LIMIT), refusal),
                "unless it is there, set a policy: rabbitmqctl set_policy -p '%s' --apply-to queues %s '^%s$' '{\"delivery-limit\":%s}'"
                    .formatted(
                        Broker.virtualHost(options),
                        name,
                        name.replace(".", "\\."),
                        arguments.get(LIMIT))));
      }
    }
  }

  private static int majorVersion(Connection connection) {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    String major = version.replaceFirst("\\D.*", "");
    return major.isEmpty() ? 0 : Integer.parseInt(major);
  }
}
