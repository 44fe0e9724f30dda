package io.inbox4j.worker.internal.doctor;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.transport.Topology;
import io.inbox4j.worker.internal.options.BrokerOptions;
import io.inbox4j.worker.internal.options.UsageException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
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

  public List<Finding> examine(List<String> queues) {
    try (Connection connection = factory().newConnection("inbox doctor")) {
      findings.add(Finding.ok("broker", options.place() + " answers"));
      for (String queue : queues) {
        examine(connection, queue);
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
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(options.uri());
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new UsageException("the value of --amqp-uri is no AMQP URI");
    }
    factory.setConnectionTimeout(10_000);
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }

  private void examine(Connection connection, String queue) throws IOException, TimeoutException {
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
    compareArguments(connection, queue);
    deadLetters(connection, queue);
  }

  /**
   * Declares the queue, which is there, as {@code Topology.quorum()} does: the broker refuses if an
   * argument differs, and says which. A test holds these arguments to those of the transport.
   */
  private void compareArguments(Connection connection, String queue)
      throws IOException, TimeoutException {
    Map<String, Object> arguments =
        Map.of(
            "x-queue-type", "quorum",
            "x-dead-letter-exchange", queue + DEAD_LETTER_SUFFIX,
            "x-delivery-limit", Topology.DEFAULT_DELIVERY_LIMIT,
            "x-dead-letter-strategy", "at-least-once",
            "x-overflow", "reject-publish");
    Channel channel = connection.createChannel();
    try {
      channel.queueDeclare(queue, true, false, false, arguments);
      channel.close();
      findings.add(Finding.ok("arguments", queue + ": as Topology.quorum() declares it"));
    } catch (IOException e) {
      findings.add(
          Finding.warning(
              "arguments",
              "%s: not as Topology.quorum() declares it: %s".formatted(queue, refusal(e)),
              "nothing if the subscription says so; otherwise delete the queue once it is empty"));
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
