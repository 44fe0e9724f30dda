package io.inbox4j.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Takes messages out of a queue. */
final class Received {

  private static final int MAX_TRIES = 300;

  private Received() {}

  static GetResponse next(Channel channel, String queue) throws Exception {
    GetResponse next = channel.basicGet(queue, true);
    for (int i = 0; i < MAX_TRIES && next == null; i++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      next = channel.basicGet(queue, true);
    }
    assertThat(next).as("a message").isNotNull();
    return next;
  }

  /** The ids of so many messages, and of those that are there besides. */
  static List<String> ids(Channel channel, String queue, int atLeast) throws Exception {
    List<String> ids = new ArrayList<>();
    while (ids.size() < atLeast) {
      ids.add(next(channel, queue).getProps().getMessageId());
    }
    for (GetResponse more = channel.basicGet(queue, true);
        more != null;
        more = channel.basicGet(queue, true)) {
      ids.add(more.getProps().getMessageId());
    }
    return ids;
  }
}
