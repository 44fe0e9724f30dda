package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The servers and processes of a run, for faults to strike at. */
final class Scene implements AutoCloseable {

  private static final int BROKERS = 3;
  private static final int PROCESSES = 2;
  private static final int FEED = 40;
  private static final long FEED_INTERVAL = 50_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration TOO_LONG_IDLE = Duration.ofSeconds(2);

  final Disk disk = Disk.mount();
  volatile PostgresServer postgres = PostgresServer.startIn(disk.folder());
  final RabbitCluster rabbit = RabbitCluster.start(BROKERS);
  final Wire toRabbit;
  final Wire toPostgres;
  final Random random;
  final Publisher publisher;
  final Tables tables;
  private final String database;
  private final Publishing publishing;
  private long fed = System.nanoTime();
  private final AtomicInteger started = new AtomicInteger();
  private final List<Walker> receivers = new ArrayList<>();
  private final List<Walker> workers = new ArrayList<>();

  /** Lets some more messages be published. */
  interface Publishing {
    void some(int count);
  }

  /** What a fault does. */
  interface Act {
    void run() throws Exception;
  }

  /** A process that is frozen while it has transactions open. */
  record AtWork(Walker walker, Hit hit) {}

  Scene(long seed, Publishing publishing) {
    this.publishing = publishing;
    this.random = new Random(seed);
    this.toRabbit = Wire.toRabbit(this::someBroker);
    this.toPostgres = Wire.toPostgres(() -> postgres.port());
    this.database = postgres.newDatabase().replaceAll(".*/(\\w+)\\?.*", "$1");
    this.tables = Tables.at(this::directUrl);
    this.publisher = new Publisher(amqpUri(), seed);
  }

  String amqpUri() {
    return toRabbit.amqpUri();
  }

  /** The ways of everybody to the broker. */
  List<Wire> waysToRabbit() {
    List<Wire> all = new ArrayList<>(everybody().stream().map(Walker::toRabbit).toList());
    all.add(toRabbit);
    return all;
  }

  private String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres&sslmode=disable&gssEncMode=disable&socketTimeout=5"
        .formatted(toPostgres.port(), database);
  }

  private String directUrl() {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres".formatted(postgres.port(), database);
  }

  /** A connection of nobody's. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(directUrl());
  }

  private int someBroker() {
    List<Integer> up = new ArrayList<>();
    for (int i = 0; i < rabbit.size(); i++) {
      if (rabbit.isUp(i)) {
        up.add(rabbit.port(i));
      }
    }
    return up.get(started.get() == 0 ? 0 : (int) (System.nanoTime() % up.size()));
  }

  /** Starts everybody at once; the first one to get that far creates the tables. */
  void start() throws Exception {
    tables.create();
    for (int i = 0; i < PROCESSES; i++) {
      receivers.add(start(Walker.Role.RECEIVE, Walker.Kind.USUAL));
      workers.add(start(Walker.Role.PROCESS, Walker.Kind.USUAL));
    }
    everybody().forEach(Walker::awaitStart);
    Quiet.await(PATIENCE, () -> Quiet.exist(amqpUri(), Walks.queues()));
    rabbit.flush();
  }

  private Walker start(Walker.Role role, Walker.Kind kind) {
    return Walker.start(
        "walker-" + started.incrementAndGet(),
        role,
        kind,
        jdbcUrl(),
        Wire.toRabbit(this::someBroker));
  }

  /** Starts a process that is none of those that everything is about; whoever does ends it. */
  Walker startBeside(Walker.Kind kind) {
    Walker walker = start(Walker.Role.PROCESS, kind);
    walker.awaitStart();
    return walker;
  }

  /** A receiver that may be ended: the first one is there from the beginning to the end. */
  Walker someReceiver() {
    return receivers.get(1 + random.nextInt(receivers.size() - 1));
  }

  Walker anyReceiver() {
    return receivers.get(random.nextInt(receivers.size()));
  }

  /** A worker that may be ended: the first one is there from the beginning to the end. */
  Walker someWorker() {
    return workers.get(1 + random.nextInt(workers.size() - 1));
  }

  Walker anyWorker() {
    return workers.get(random.nextInt(workers.size()));
  }

  List<Walker> everybody() {
    List<Walker> all = new ArrayList<>(receivers);
    all.addAll(workers);
    return all;
  }

  /** Those that no fault may end, so that what they leak would add up. */
  List<Walker> veterans() {
    return List.of(receivers.get(0), workers.get(0));
  }

  /** Starts another process in the place of one that is gone. */
  Walker replace(Walker gone) {
    return replace(gone, Walker.Kind.USUAL);
  }

  Walker replace(Walker gone, Walker.Kind kind) {
    gone.close();
    Walker next = start(gone.role(), kind);
    List<Walker> list = gone.role() == Walker.Role.RECEIVE ? receivers : workers;
    list.set(list.indexOf(gone), next);
    return next;
  }

  /** Fails if a process has ended by itself, which none should. */
  void assertNobodyEnded() {
    for (Walker walker : everybody()) {
      if (!walker.process().isAlive()) {
        throw new IllegalStateException(
            "%s has ended by itself: %s"
                .formatted(walker.name(), String.join("\n", walker.process().errorLines())));
      }
    }
  }

  /** Lets some messages be published, so that there is something to do, at most 800 a second. */
  void feed() {
    long now = System.nanoTime();
    if (now - fed > FEED_INTERVAL) {
      fed = now;
      publishing.some(FEED);
    }
  }

  /** Waits until messages are in flight; returns how many transactions and leases hold some. */
  long awaitWork() throws InterruptedException {
    AtomicLong inFlight = new AtomicLong();
    Quiet.await(
        PATIENCE,
        () -> {
          feed();
          inFlight.set(tables.inFlight());
          return inFlight.get() > 0;
        });
    return inFlight.get();
  }

  /** Does something to all while they are at work. */
  Hit inFlight(Act act) throws Exception {
    long inFlight = awaitWork();
    act.run();
    return new Hit(inFlight, "in flight");
  }

  /** Freezes a process in the midst of its transactions. */
  AtWork caughtAtWork(Supplier<Walker> choice) throws InterruptedException {
    long idleSince = System.nanoTime();
    Duration tooLongIdle = TOO_LONG_IDLE;
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < until) {
      feed();
      Walker walker = choice.get();
      if (tables.openTransactions(walker.name()) > 0) {
        walker.process().stop();
        long open = tables.openTransactions(walker.name());
        if (open > 0) {
          return new AtWork(walker, new Hit(open, "transactions of its own"));
        }
        walker.process().cont();
      }
      Thread.sleep(5);
      if (walker.role() == Walker.Role.RECEIVE
          && System.nanoTime() - idleSince > tooLongIdle.toNanos()) {
        makeActive(walker);
        idleSince = System.nanoTime();
        tooLongIdle = tooLongIdle.multipliedBy(2); // on a busy machine they take long to reconnect
      }
    }
    throw new IllegalStateException("nobody was caught at work within " + PATIENCE);
  }

  /** Breaks the connections of the other receivers, so that this one consumes. */
  private void makeActive(Walker walker) {
    receivers.stream().filter(it -> !it.equals(walker)).forEach(it -> it.toRabbit().cut());
  }

  /** Tells the handlers of a process to do something, and waits until one has begun to. */
  Walker tell(Walker walker, Mischief mischief) throws InterruptedException {
    walker.awaitStart();
    walker.process().send(mischief.name());
    boolean done =
        Quiet.await(
            PATIENCE,
            () -> {
              feed();
              Thread.sleep(50);
              return walker.process().lines().contains("strikes " + mischief);
            });
    if (!done) {
      throw new IllegalStateException("no handler came to " + mischief);
    }
    return walker;
  }

  @Override
  public void close() {
    publisher.close();
    everybody().forEach(Walker::close);
    toRabbit.close();
    toPostgres.close();
    rabbit.close();
    postgres.close();
    disk.close();
  }
}
