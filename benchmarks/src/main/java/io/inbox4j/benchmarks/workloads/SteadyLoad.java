package io.inbox4j.benchmarks.workloads;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.inbox4j.Inbox;
import io.inbox4j.InboxListener;
import io.inbox4j.benchmarks.inbox.EndToEnd;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Lab;
import io.inbox4j.benchmarks.lab.Measurement;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.benchmarks.report.Results;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * How long a message takes from its publishing to its committed effect, at half of the full load.
 */
record SteadyLoad() implements Workload {

  private static final int SECONDS = 20;
  private static final int WARM_UP_SECONDS = 5;
  private static final double IF_UNKNOWN = 8_000;

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
    double rate = session.results().rate("C", "Inbox").orElse(IF_UNKNOWN) / 2;
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      Paced paced = new Paced((int) rate, WARM_UP_SECONDS, Math.max(2, session.scaled(SECONDS)));
      Measurement measurement = session.lab().run(paced, (int) (rate * paced.seconds()), true);
      Results.Row row =
          session.add(section, paced.name(), paced.contract(), repetition, measurement);
      double[] millis = paced.sortedMillis();
      Map.of("p50 ms", 0.5, "p99 ms", 0.99, "p99.9 ms", 0.999)
          .forEach((name, part) -> row.figure(name, millis[(int) (part * (millis.length - 1))]));
      System.out.printf(
          "     p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms at %,.0f/s%n",
          millis[millis.length / 2],
          millis[(int) (0.99 * (millis.length - 1))],
          millis[(int) (0.999 * (millis.length - 1))],
          rate);
    }
  }

  /** Publishes at a pace while an inbox is at work, and notes when each message was sent. */
  private record Paced(
      int rate, int warmUp, int measured, Map<UUID, Long> sent, ConcurrentLinkedQueue<Long> nanos)
      implements Contender {

    Paced(int rate, int warmUp, int measured) {
      this(rate, warmUp, measured, new ConcurrentHashMap<>(), new ConcurrentLinkedQueue<>());
    }

    int seconds() {
      return warmUp + measured;
    }

    @Override
    public String name() {
      return "Inbox";
    }

    @Override
    public String contract() {
      return "effect commits with completion";
    }

    @Override
    public void run(Trial trial) throws Exception {
      Lab lab = trial.lab();
      lab.queue().declare();
      CountDownLatch all = new CountDownLatch(trial.messages());
      try (Inbox inbox = EndToEnd.usual().inbox(trial, new Clock(all, sent, nanos))) {
        inbox.start();
        trial.measure(
            () -> {
              publish(lab, trial.messages());
              all.await();
            });
      }
    }

    private void publish(Lab lab, int messages) throws Exception {
      try (Connection connection = lab.queue().connect();
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
          long due = begin + (long) (i * 1e9 / rate);
          while (System.nanoTime() < due) {
            Thread.sleep(1);
          }
          UUID id = lab.orders().nextId();
          if (i > rate * warmUp) {
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

  private record Clock(CountDownLatch all, Map<UUID, Long> sent, ConcurrentLinkedQueue<Long> nanos)
      implements InboxListener {

    @Override
    public void processed(Message message, int attempt, Duration lag) {
      Long since = sent.remove(message.messageId());
      if (since != null) {
        nanos.add(System.nanoTime() - since);
      }
      all.countDown();
    }
  }
}
