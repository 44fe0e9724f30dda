package io.inbox4j.endtoend;

import io.inbox4j.testkit.RabbitServer;

/** What the broker says about its queues. */
final class Queues {

  private Queues() {}

  /** A number in a queue's line, such as its messages; -1 if there is no such queue. */
  static long count(RabbitServer broker, String queue, String column) {
    return Long.parseLong(
        broker
            .ctl(
                "eval",
                """
                case rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"%s">>)) of
                  {ok, Queue} -> proplists:get_value(%s, rabbit_amqqueue:info(Queue, [%2$s]));
                  _ -> -1
                end.
                """
                    .formatted(queue, column))
            .strip());
  }

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
