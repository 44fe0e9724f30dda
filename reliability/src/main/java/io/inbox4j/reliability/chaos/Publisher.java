package io.inbox4j.reliability.chaos;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.event.MessageIds;
import io.inbox4j.reliability.history.Publish;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Publishes steps, and remembers what the broker has confirmed.
 *
 * <p>What was on its way when a connection was lost is unknown forever. It may be in the buffers of
 * a connection that an alarm blocks, and come into its queue minutes later, behind what was
 * published by another connection since: the walk ends there, and the next step is the first one of
 * a new key.
 */
final class Publisher implements AutoCloseable {

  private static final int KEYS = 60;

  private static final int TURNS_ONE_IN = 20;
  private static final int PADDING = 300;

  private final String amqpUri;
  private final Random random;
  private final String run;
  private final Map<String, Long> steps = new HashMap<>();
  private final Map<String, Integer> breaks = new HashMap<>();
  private final List<Sent> sent = new ArrayList<>();
  private boolean paused;
  private final AtomicLong confirmed = new AtomicLong();
  private volatile ConcurrentNavigableMap<Long, Sent> onTheirWay = new ConcurrentSkipListMap<>();
  private @Nullable Connection connection;
  private @Nullable Channel channel;

  /** A message, and whether the broker has it. */
  private record Sent(
      String queue,
      UUID id,
      String walk,
      String key,
      long step,
      String digest,
      boolean turn,
      Instant at,
      AtomicBoolean confirmed) {}

  Publisher(String amqpUri, long seed) {
    this.amqpUri = amqpUri;
    this.random = new Random(seed);
    this.run = Long.toHexString(seed);
  }

  /** How many messages the broker has confirmed. */
  long confirmed() {
    return confirmed.get();
  }

  synchronized int published() {
    return sent.size();
  }

  /** Publishes nothing from now on: what is being published is sent when this returns. */
  synchronized void pause() {
    paused = true;
  }

  synchronized void resume() {
    paused = false;
  }

  /** Publishes the next step of some walk. */
  synchronized void publishNext() throws InterruptedException {
    while (paused) {
      wait(20);
    }
    send(next());
  }

  private Sent next() {
    String queue = Walks.queues().get(random.nextInt(Walks.values().length));
    String walk = "walk " + (int) Math.min(KEYS - 1, Math.abs(random.nextGaussian()) * KEYS / 3);
    long step = steps.merge(queue + walk, 1L, Long::sum);
    UUID id = MessageIds.of(run, walk, step); // the same in every queue
    String key = walk + "." + breaks.getOrDefault(queue + walk, 0);
    String digest = Long.toHexString(random.nextLong());
    boolean turn = random.nextInt(TURNS_ONE_IN) == 0;
    Sent next =
        new Sent(queue, id, walk, key, step, digest, turn, Instant.now(), new AtomicBoolean());
    sent.add(next);
    return next;
  }

  /** Publishes messages that have a key each, so that none has to wait for another. */
  void publishWithoutOrder(String queue, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      Sent next;
      synchronized (this) {
        String walk = "alone " + sent.size();
        String digest = Long.toHexString(random.nextLong());
        UUID id = MessageIds.of(run, walk, 1);
        next =
            new Sent(queue, id, walk, walk, 1, digest, false, Instant.now(), new AtomicBoolean());
        sent.add(next);
      }
      send(next);
    }
  }

  /** Publishes messages again that the broker has confirmed before. */
  int repeat(int count) throws InterruptedException {
    List<Sent> some = new ArrayList<>();
    synchronized (this) {
      for (int i = 0; i < count && !sent.isEmpty(); i++) {
        Sent one = sent.get(random.nextInt(sent.size()));
        if (one.confirmed.get()) {
          some.add(one);
        }
      }
    }
    for (Sent one : some) {
      send(one);
    }
    return some.size();
  }

  private synchronized void send(Sent message) throws InterruptedException {
    Channel open = channel();
    try {
      onTheirWay.put(open.getNextPublishSeqNo(), message);
      open.basicPublish("", message.queue, true, properties(message), body(message));
    } catch (Exception e) { // what was on its way, this one included, is unknown now
      disconnect();
    }
  }

  private static BasicProperties properties(Sent message) {
    return new BasicProperties.Builder()
        .messageId(message.id.toString())
        .type(message.turn ? "turn-taken" : "step-taken")
        .contentType("application/json")
        .deliveryMode(2)
        .build();
  }

  private static byte[] body(Sent message) {
    return "{\"messageId\":\"%s\",\"walk\":\"%s\",\"step\":%d,\"digest\":\"%s\",\"padding\":\"%s\"}"
        .formatted(message.id, message.key, message.step, message.digest, "x".repeat(PADDING))
        .getBytes(StandardCharsets.UTF_8);
  }

  private Channel channel() throws InterruptedException {
    while (true) {
      try {
        Channel open = channel;
        if (open != null && open.isOpen()) {
          return open;
        }
        disconnect();
        connect();
      } catch (Exception e) { // the broker is away
        Thread.sleep(200);
      }
    }
  }

  private void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setRequestedHeartbeat(2);
    connection = factory.newConnection("walks");
    Channel open = connection.createChannel();
    ConcurrentNavigableMap<Long, Sent> waiting = new ConcurrentSkipListMap<>();
    onTheirWay = waiting;
    open.confirmSelect();
    open.addReturnListener(
        returned -> {
          throw new IllegalStateException("no queue for " + returned.getRoutingKey());
        });
    open.addConfirmListener(
        (number, multiple) -> confirmed(waiting, number, multiple), (number, multiple) -> {});
    channel = open;
  }

  private void confirmed(
      ConcurrentNavigableMap<Long, Sent> waiting, long number, boolean multiple) {
    Map<Long, Sent> done =
        multiple ? waiting.headMap(number, true) : waiting.subMap(number, true, number, true);
    done.values()
        .forEach(
            message -> {
              if (message.confirmed.compareAndSet(false, true)) {
                confirmed.incrementAndGet();
              }
            });
    done.clear();
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.abort(1_000);
      }
    } catch (RuntimeException e) {
      // it is gone
    }
    connection = null;
    channel = null;
    for (Sent unknown : onTheirWay.values()) {
      breaks.merge(unknown.queue + unknown.walk, 1, Integer::sum);
    }
    onTheirWay = new ConcurrentSkipListMap<>();
  }

  /** Waits for what is on its way, as long as the connection lives. */
  synchronized void awaitConfirms() throws InterruptedException {
    long until = System.nanoTime() + 30_000_000_000L;
    while (!onTheirWay.isEmpty()
        && channel != null
        && channel.isOpen()
        && System.nanoTime() < until) {
      wait(20);
    }
  }

  synchronized List<Publish> history() {
    return sent.stream()
        .map(
            it ->
                new Publish(it.queue, it.id, it.key, it.step, it.digest, it.confirmed.get(), it.at))
        .toList();
  }

  @Override
  public synchronized void close() {
    disconnect();
  }
}
