package io.inbox4j.reliability.chaos;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.inbox4j.reliability.history.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Waits until something is the case, whatever is away meanwhile. */
final class Quiet {

  private Quiet() {}

  /** Something that becomes true. */
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Whether it became true in time. If not, what was in the way last is printed. */
  static boolean await(Duration patience, Condition condition) throws InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    Exception last = null;
    while (System.nanoTime() < until) {
      try {
        if (condition.holds()) {
          return true;
        }
        last = null;
      } catch (Exception e) { // a server is away
        last = e;
        Thread.sleep(100);
      }
      Thread.sleep(10);
    }
    if (last != null) {
      System.out.println("not within " + patience + ": " + last);
    }
    return false;
  }

  /** Whether there are these queues; if not, the broker's refusal is thrown. */
  static boolean exist(String amqpUri, List<String> queues) throws Exception {
    try (Connection connection = connect(amqpUri);
        Channel channel = connection.createChannel()) {
      for (String queue : queues) {
        channel.queueDeclarePassive(queue);
      }
      return true;
    }
  }

  static void purge(String amqpUri, List<String> queues) throws Exception {
    try (Connection connection = connect(amqpUri);
        Channel channel = connection.createChannel()) {
      for (String queue : queues) {
        channel.queuePurge(queue);
      }
    }
  }

  static void delete(String amqpUri, String queue) throws Exception {
    try (Connection connection = connect(amqpUri);
        Channel channel = connection.createChannel()) {
      channel.queueDelete(queue);
    }
  }

  /** Takes everything out of the dead-letter queues of these queues. */
  static List<Kept> deadLetters(String amqpUri, List<String> queues) throws Exception {
    List<Kept> all = new ArrayList<>();
    try (Connection connection = connect(amqpUri);
        Channel channel = connection.createChannel()) {
      for (String queue : queues) {
        GetResponse one = channel.basicGet(queue + ".dead-letter", true);
        while (one != null) {
          all.add(
              new Kept(
                  queue,
                  one.getProps().getMessageId(),
                  String.valueOf(one.getProps().getHeaders().get("x-death"))));
          one = channel.basicGet(queue + ".dead-letter", true);
        }
      }
    }
    return all;
  }

  private static Connection connect(String amqpUri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setRequestedHeartbeat(2);
    return factory.newConnection("probe");
  }
}
