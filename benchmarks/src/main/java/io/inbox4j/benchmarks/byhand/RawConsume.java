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

/** The limit of receiving: amqp-client with a multi-ack every 500 messages and no database. */
public final class RawConsume implements Contender {

  private static final int ACK_EVERY = 500;

  @Override
  public String name() {
    return "amqp-client alone, no database";
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
      channel.basicQos(2_000);
      trial.measure(
          () -> {
            channel.basicConsume(Queue.NAME, false, new Counting(channel, all));
            all.await();
          });
    }
  }

  private static final class Counting extends DefaultConsumer {

    private final CountDownLatch all;

    Counting(Channel channel, CountDownLatch all) {
      super(channel);
      this.all = all;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      all.countDown();
      if (envelope.getDeliveryTag() % ACK_EVERY == 0 || all.getCount() == 0) {
        getChannel().basicAck(envelope.getDeliveryTag(), true);
      }
    }
  }
}
