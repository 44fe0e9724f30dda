package io.inbox4j.benchmarks.byhand;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** The limit of receiving: amqp-client with a multi-ack every so many messages and no database. */
public record RawConsume(String name, int prefetch, int ackEvery) implements Contender {

  /** With the prefetch of the inbox. */
  public static RawConsume withLargeWindow() {
    return new RawConsume("amqp-client alone, no database", 2_000, 500);
  }

  /** With as many in flight as the broker's own load generator mostly has. */
  public static RawConsume withSmallWindow() {
    return new RawConsume("amqp-client alone, prefetch 500, an ack every 100", 500, 100);
  }

  @Override
  public String contract() {
    return "none: what is consumed is forgotten";
  }

  @Override
  public int messages(int others) {
    return Queue.LONG * others;
  }

  @Override
  public void run(Trial trial) throws Exception {
    trial.lab().queue().fill(trial.messages());
    CountDownLatch all = new CountDownLatch(trial.messages());
    try (Connection connection = trial.lab().queue().connect();
        Channel channel = connection.createChannel()) {
      channel.basicQos(prefetch);
      trial.measure(
          () -> {
            channel.basicConsume(Queue.NAME, false, new Counting(channel, all, ackEvery));
            all.await();
          });
    }
  }

  private static final class Counting extends DefaultConsumer {

    private final CountDownLatch all;
    private final int ackEvery;

    Counting(Channel channel, CountDownLatch all, int ackEvery) {
      super(channel);
      this.all = all;
      this.ackEvery = ackEvery;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      all.countDown();
      if (envelope.getDeliveryTag() % ackEvery == 0 || all.getCount() == 0) {
        getChannel().basicAck(envelope.getDeliveryTag(), true);
      }
    }
  }
}
