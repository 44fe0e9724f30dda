package io.inbox4j.benchmarks;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** The limit of receiving: amqp-client with a multi-ack every 500 messages and no database. */
record RawConsume(Queue queue) implements Contender {

  private static final int ACK_EVERY = 500;

  @Override
  public String name() {
    return "raw consume, no database";
  }

  @Override
  public double run(int messages) throws Exception {
    queue.fill(messages);
    CountDownLatch all = new CountDownLatch(messages);
    try (Connection connection = queue.connect();
        Channel channel = connection.createChannel()) {
      channel.basicQos(2_000);
      long begin = System.nanoTime();
      channel.basicConsume(Queue.NAME, false, new Counting(channel, all));
      all.await();
      return Contender.rate(messages, begin);
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
        String tag,
        Envelope envelope,
        com.rabbitmq.client.AMQP.BasicProperties properties,
        byte[] body)
        throws IOException {
      all.countDown();
      if (envelope.getDeliveryTag() % ACK_EVERY == 0 || all.getCount() == 0) {
        getChannel().basicAck(envelope.getDeliveryTag(), true);
      }
    }
  }
}
