package io.inbox4j.endtoend;

import io.inbox4j.testkit.RabbitServer;

/** What the broker says about its queues. */
final class Queues {

  private Queues() {}

  /** One column of a queue's line in the list of queues, or "no queue". */
  static String show(RabbitServer broker, String queue, String column) {
    return broker
        .ctl("list_queues", "name", column)
        .lines()
        .map(line -> line.split("\t", 2))
        .filter(columns -> columns[0].equals(queue))
        .map(columns -> columns[1])
        .findFirst()
        .orElse("no queue");
  }
}
