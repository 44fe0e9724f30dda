package io.inbox4j.reliability.chaos;

import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The servers and processes of a run, for faults to strike at. */
final class Scene implements AutoCloseable {

  private static final int RECEIVERS = 2;
  private static final int WORKERS = 2;
  private static final Duration START = Duration.ofSeconds(60);

  final PostgresServer postgres = PostgresServer.start();
  final RabbitServer rabbit = RabbitServer.start();
  final String jdbcUrl = postgres.newDatabase();
  final Tables tables = Tables.at(jdbcUrl);
  final Random random;
  final Publisher publisher;
  private final List<ChildProcess> receivers = new ArrayList<>();
  private final List<ChildProcess> workers = new ArrayList<>();

  Scene(long seed) {
    this.random = new Random(seed);
    this.publisher = new Publisher(rabbit.uri(), seed);
  }

  void start() throws Exception {
    tables.create();
    for (int i = 0; i < RECEIVERS; i++) {
      receivers.add(WalkService.receiver(jdbcUrl, rabbit.uri()));
      receivers.get(i).awaitLine("started", START);
    }
    for (int i = 0; i < WORKERS; i++) {
      workers.add(WalkService.worker(jdbcUrl, rabbit.uri()));
    }
    workers.forEach(worker -> worker.awaitLine("started", START));
    rabbit.flush();
  }

  ChildProcess someReceiver() {
    return receivers.get(random.nextInt(receivers.size()));
  }

  ChildProcess someWorker() {
    return workers.get(random.nextInt(workers.size()));
  }

  /** Starts another process in the place of one that is gone. */
  void replace(ChildProcess gone) {
    gone.close();
    if (receivers.remove(gone)) {
      receivers.add(WalkService.receiver(jdbcUrl, rabbit.uri()));
    } else if (workers.remove(gone)) {
      workers.add(WalkService.worker(jdbcUrl, rabbit.uri()));
    }
  }

  /** Whether a process has ended by itself, which none should. */
  List<ChildProcess> ended() {
    List<ChildProcess> all = new ArrayList<>(receivers);
    all.addAll(workers);
    return all.stream().filter(process -> !process.isAlive()).toList();
  }

  @Override
  public void close() {
    publisher.close();
    receivers.forEach(ChildProcess::close);
    workers.forEach(ChildProcess::close);
    rabbit.close();
    postgres.close();
  }
}
