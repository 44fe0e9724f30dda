package io.inbox4j.benchmarks.inbox;

import io.inbox4j.Inbox;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.lab.OrderPlaced;
import io.inbox4j.benchmarks.lab.Queue;
import io.inbox4j.benchmarks.lab.Trial;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.transport.Topology;
import java.util.concurrent.CountDownLatch;

/** From the queue into the tables: an inbox that only receives. */
public record Ingest(String name, int consumers) implements Contender {

  /** As it comes. */
  public static Ingest usual() {
    return new Ingest("Inbox: stored and acknowledged", 1);
  }

  /** With as many batches on their way into the database. */
  public static Ingest withConsumers(int count) {
    return new Ingest("Inbox with %d consumers".formatted(count), count);
  }

  @Override
  public String contract() {
    return "acknowledged when it is safe in PostgreSQL";
  }

  @Override
  public int messages(int others) {
    return Queue.LONG * others;
  }

  @Override
  public void run(Trial trial) throws Exception {
    trial.lab().queue().fill(trial.messages());
    CountDownLatch all = new CountDownLatch(trial.messages());
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(trial.database()))
            .transport(RabbitTransport.connect(trial.lab().amqpUri()))
            .subscribe(
                Queue.NAME,
                queue ->
                    queue
                        .receive(OrderPlaced.class)
                        .topology(Topology.existing())
                        .consumers(consumers))
            .listener(new Counting(all))
            .build()) {
      inbox.open(); // creating tables is not what is measured
      trial.measure(
          () -> {
            inbox.startReceiving();
            all.await();
          });
    }
  }

  private record Counting(CountDownLatch all) implements InboxListener {

    @Override
    public void received(Received event) {
      all.countDown();
    }
  }
}
