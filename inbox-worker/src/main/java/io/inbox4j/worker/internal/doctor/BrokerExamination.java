package io.inbox4j.worker.internal.doctor;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.transport.Topology;
import io.inbox4j.worker.internal.options.BrokerOptions;
import io.inbox4j.worker.internal.options.UsageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at the queues at the broker, and changes nothing there. */
public final class BrokerExamination {

  private static final String DEAD_LETTER_SUFFIX = ".dead-letter";

  private final BrokerOptions options;
  private final List<Finding> findings = new ArrayList<>();

  public BrokerExamination(BrokerOptions options) {
    this.options = options;
  }

  /**
   * What is right and wrong with the queues.
   *
   * @param queues those to look at
   * @param subscribed how the service subscribes some of them
   */
  public List<Finding> examine(Collection<String> queues, Map<String, Topology> subscribed) {
    try (Connection connection = factory().newConnection("inbox doctor")) {
      findings.add(Finding.ok("broker", options.place() + " answers"));
      for (String queue : queues) {
        examine(connection, queue, subscribed.get(queue));
      }
    } catch (IOException | TimeoutException e) {
      findings.add(
          Finding.wrong(
              "broker",
              "%s does not answer: %s".formatted(options.place(), e),
              "see that it runs, and that the user and the virtual host are right"));
    }
    return findings;
  }

  private ConnectionFactory factory() {
    ConnectionFactory factory;
    try {
      factory = RabbitTransport.settings(options.uri());
    } catch (IllegalArgumentException e) {
      throw new UsageException("the value of --amqp-uri is no AMQP URI");
    }
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
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
          Finding.wrong(
              "queue",
              "%s: %s".formatted(queue, refusal(e)),
              "start a receiver, which declares it"));
      return;
    }
    String seen =
        "%s: %d messages, %d consumers"
            .formatted(queue, there.getMessageCount(), there.getConsumerCount());
    findings.add(
        there.getConsumerCount() == 0
            ? Finding.warning("queue", seen, "start a process that receives")
            : Finding.ok("queue", seen));
    if (subscribed == null) {
      compareArguments(connection, queue, Topology.quorum(), "Topology.quorum() declares it");
      deadLetters(connection, queue);
    } else if (subscribed.kind() != Topology.Kind.EXISTING) {
      compareArguments(connection, queue, subscribed, "the service declares it");
      if (subscribed.deadLetterExchange() == null) {
        deadLetters(connection, queue);
      }
    }
  }

  /**
   * Declares the queue, which is there, as somebody does: the broker refuses if an argument
   * differs, and says which.
   */
  private void compareArguments(
      Connection connection, String queue, Topology topology, String asSomebodyDoes)
      throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    try {
      Map<String, Object> arguments = RabbitTransport.queueArguments(queue, topology);
      channel.queueDeclare(queue, true, false, false, arguments);
      channel.close();
      findings.add(Finding.ok("arguments", "%s: as %s".formatted(queue, asSomebodyDoes)));
    } catch (IOException e) {
      findings.add(
          Finding.warning(
              "arguments",
              "%s: not as %s: %s".formatted(queue, asSomebodyDoes, refusal(e)),
              "subscribe it as it is, or delete it once it is empty: a receiver declares it anew"));
    }
  }

  private void deadLetters(Connection connection, String queue)
      throws IOException, TimeoutException {
    Channel channel = connection.createChannel();
    try {
      int letters = channel.queueDeclarePassive(queue + DEAD_LETTER_SUFFIX).getMessageCount();
      channel.close();
      if (letters > 0) {
        findings.add(
            Finding.warning(
                "dead letters",
                "%s%s: %d messages that no client could read"
                    .formatted(queue, DEAD_LETTER_SUFFIX, letters),
                "look at them with the broker's own tools, and purge the queue"));
      }
    } catch (IOException e) {
      findings.add(
          Finding.warning(
              "dead letters",
              "%s%s: %s".formatted(queue, DEAD_LETTER_SUFFIX, refusal(e)),
              "without it the broker drops what no client can read"));
    }
  }

  private static @Nullable String refusal(IOException failure) {
    return failure.getCause() instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
        ? close.getReplyText()
        : failure.getMessage();
  }
}
