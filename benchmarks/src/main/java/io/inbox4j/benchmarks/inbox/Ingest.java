package io.inbox4j.benchmarks;

import io.inbox4j.Inbox;
import io.inbox4j.InboxListener;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.transport.Topology;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** From the queue into the tables: an inbox that only receives. */
record Ingest(Queue queue, String amqp, Supplier<String> newDatabase) implements Contender {

  @Override
  public String name() {
    return "ingest: stored and acknowledged";
  }

  @Override
  public double run(int messages) throws Exception {
    queue.fill(messages);
    CountDownLatch all = new CountDownLatch(messages);
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(newDatabase.get()))
            .transport(RabbitTransport.connect(amqp))
            .subscribe(Queue.NAME, s -> s.receive(OrderPlaced.class).topology(Topology.existing()))
            .listener(new Counting(all))
            .build()) {
      inbox.quarantine(); // opens the store: creating tables is not what is measured
      long begin = System.nanoTime();
      inbox.startReceiving();
      all.await();
      return Contender.rate(messages, begin);
    }
  }

  private record Counting(CountDownLatch all) implements InboxListener {

    @Override
    public void received(Message message) {
      all.countDown();
    }
  }
}
