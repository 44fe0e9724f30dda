package io.inbox4j.benchmarks.workloads;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.inbox4j.Inbox;
import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.inbox.EndToEnd;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Lab;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.benchmarks.report.Results;
import io.inbox4j.listener.InboxListener;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * How long a message takes from its publishing to its committed effect, at half of the full load.
 *
 * <p>The publisher works on the same machine. So the full load is what the machine does when it
 * publishes as fast as it handles, with so many messages under way and no more.
 */
record SteadyLoad() implements Workload {

  static final String FULL = "Inbox, full load";
  static final String HALF = "Inbox";
  static final String HALF_OF_C = "Inbox, at half of what C drains";
  static final String IN_BATCHES = Drain.IN_BATCHES + ", the same load";
  static final String LIGHT = "Inbox, 2,000 a second";

  private static final int SECONDS = 20;
  private static final int WARM_UP_SECONDS = 5;
  private static final int UNDER_WAY = 2_000;
  private static final int LIGHT_RATE = 2_000;
  private static final int WARM_UP_RATE = 5_000;

  @Override
  public String key() {
    return "D";
  }

  @Override
  public String title() {
    return "Latency at half load, from publish to committed effect";
  }

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    int seconds = Math.max(2, session.scaled(SECONDS));
    warmUp(session, EndToEnd.usual(), seconds);
    warmUp(session, EndToEnd.inBatches(), seconds);
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      run(session, section, repetition, Published.asFastAsHandled(session.messages()));
      double full = section.row(FULL, Published.CONTRACT).rate();
      run(session, section, repetition, Published.at(HALF, full / 2, seconds));
      run(
          session,
          section,
          repetition,
          Published.at(IN_BATCHES, full / 2, seconds).by(EndToEnd.inBatches()));
      run(session, section, repetition, Published.at(LIGHT, LIGHT_RATE, seconds));
      if (session.results().rate("C", "Inbox").isPresent()) {
        double half = session.results().rate("C", "Inbox").getAsDouble() / 2;
        run(session, section, repetition, Published.at(HALF_OF_C, half, seconds));
      }
    }
  }

  /** At full load, and at the pace that is measured: there other code is hot. */
  private static void warmUp(Session session, EndToEnd handling, int seconds) throws Exception {
    session.warmUp(Published.asFastAsHandled(session.messages()).by(handling), true);
    session.warmUp(Published.at(HALF, WARM_UP_RATE, seconds).by(handling), true);
  }

  private static void run(
      Session session, Results.Section section, int repetition, Published published)
      throws Exception {
    Results.Row row =
        session.add(
            section,
            published.name(),
            published.contract(),
            repetition,
            session.lab().run(published, published.count(), true));
    double[] millis = published.sortedMillis();
    Map.of("p50 ms", 0.5, "p99 ms", 0.99, "p99.9 ms", 0.999)
        .forEach((name, part) -> row.figure(name, millis[(int) (part * (millis.length - 1))]));
    System.out.printf(
        "     p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms%n",
        millis[millis.length / 2],
        millis[(int) (0.99 * (millis.length - 1))],
        millis[(int) (0.999 * (millis.length - 1))]);
  }

  /**
   * Publishes while an inbox is at work, and notes when each message was sent.
   *
   * @param handling how messages are handled
   * @param pause nanoseconds between two messages; 0 for none
   * @param warmUp how many messages come before those that count
   */
  private record Published(
      String name,
      EndToEnd handling,
      int count,
      double pause,
      int warmUp,
      Semaphore room,
      Map<UUID, Long> sent,
      ConcurrentLinkedQueue<Long> nanos)
      implements Contender {

    static final String CONTRACT = "effect commits with completion";

    static Published asFastAsHandled(int count) {
      return new Published(FULL, count, 0, count / 4, UNDER_WAY);
    }

    static Published at(String name, double rate, int seconds) {
      int warmUp = (int) (rate * Math.min(WARM_UP_SECONDS, seconds));
      int count = warmUp + (int) (rate * seconds);
      return new Published(name, count, 1e9 / rate, warmUp, count);
    }

    private Published(String name, int count, double pause, int warmUp, int underWay) {
      this(
          name,
          EndToEnd.usual(),
          count,
          pause,
          warmUp,
          new Semaphore(underWay),
          new ConcurrentHashMap<>(),
          new ConcurrentLinkedQueue<>());
    }

    Published by(EndToEnd other) {
      return new Published(name, other, count, pause, warmUp, room, sent, nanos);
    }

    @Override
    public String contract() {
      return CONTRACT;
    }

    @Override
    public void run(Trial trial) throws Exception {
      Lab lab = trial.lab();
      lab.queue().declare();
      CountDownLatch all = new CountDownLatch(count);
      try (Inbox inbox = handling.inbox(trial, new Clock(all, room, sent, nanos))) {
        inbox.start();
        trial.measure(
            () -> {
              publish(lab);
              all.await();
            });
      }
    }

    private void publish(Lab lab) throws Exception {
      try (Connection connection = lab.queue().connect();
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
          room.acquire();
          long due = begin + (long) (i * pause);
          while (System.nanoTime() < due) {
            Thread.sleep(1);
          }
          UUID id = lab.orders().nextId();
          if (i > warmUp) {
            sent.put(id, System.nanoTime());
          }
          Queue.publish(channel, id);
        }
        channel.waitForConfirmsOrDie(60_000);
      }
    }

    double[] sortedMillis() {
      double[] millis = nanos.stream().mapToDouble(it -> it / 1e6).toArray();
      Arrays.sort(millis);
      return millis;
    }
  }

  private record Clock(
      CountDownLatch all, Semaphore room, Map<UUID, Long> sent, ConcurrentLinkedQueue<Long> nanos)
      implements InboxListener {

    @Override
    public void processed(Processed event) {
      room.release();
      Long since = sent.remove(event.message().messageId());
      if (since != null) {
        nanos.add(System.nanoTime() - since);
      }
      all.countDown();
    }
  }
}
