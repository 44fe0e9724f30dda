package io.inbox4j.benchmarks.lab;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.jdbi.v3.core.Jdbi;

/** What the database and this process have used up so far. */
record Meters(
    long nanos, long wal, long transactions, double databaseSeconds, long allocated, long cpu) {

  private static final double TICKS_A_SECOND = 100;
  private static final AtomicLong COLLECTED = new AtomicLong();

  static {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector)
          .addNotificationListener(
              (notification, handback) ->
                  COLLECTED.addAndGet(collected((CompositeData) notification.getUserData())),
              null,
              null);
    }
  }

  static Meters read(Jdbi database) {
    return database.withHandle(
        handle -> {
          long wal =
              handle
                  .select("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")
                  .mapTo(Long.class)
                  .one();
          long transactions =
              handle
                  .select("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
                  .mapTo(Long.class)
                  .one();
          long backend = handle.select("SELECT pg_backend_pid()").mapTo(Long.class).one();
          return new Meters(
              System.nanoTime(),
              wal,
              transactions,
              secondsOfServer(backend),
              COLLECTED.get() + used(),
              ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos());
        });
  }

  Measurement since(Meters begin, int messages) {
    double seconds = (nanos - begin.nanos) / 1e9;
    return new Measurement(
        messages / seconds,
        (double) (wal - begin.wal) / messages,
        (double) (transactions - begin.transactions) / messages,
        (databaseSeconds - begin.databaseSeconds) * 1e6 / messages,
        (cpu - begin.cpu) / 1e3 / messages,
        (double) (allocated - begin.allocated) / messages);
  }

  /** The CPU time of all processes of the server that this backend belongs to. */
  private static double secondsOfServer(long backend) {
    try {
      long postmaster = Long.parseLong(stat(backend)[3]);
      String[] stat = stat(postmaster);
      double ticks = ticks(stat, 13, 14, 15, 16);
      for (ProcessHandle child : ProcessHandle.of(postmaster).orElseThrow().children().toList()) {
        try {
          ticks += ticks(stat(child.pid()), 13, 14);
        } catch (IOException gone) {
          // its time was added to that of the postmaster
        }
      }
      return ticks / TICKS_A_SECOND;
    } catch (IOException | RuntimeException e) { // it runs elsewhere
      return Double.NaN;
    }
  }

  private static String[] stat(long process) throws IOException {
    String line = Files.readString(Path.of("/proc", Long.toString(process), "stat"));
    if (!line.contains("(postgres)")) {
      throw new IOException("process %d is not PostgreSQL".formatted(process));
    }
    return line.split(" ", -1);
  }

  private static double ticks(String[] stat, int... fields) {
    double sum = 0;
    for (int field : fields) {
      sum += Double.parseDouble(stat[field]);
    }
    return sum;
  }

  private static long collected(CompositeData data) {
    var info = GarbageCollectionNotificationInfo.from(data).getGcInfo();
    return sum(info.getMemoryUsageBeforeGc().values()) - sum(info.getMemoryUsageAfterGc().values());
  }

  private static long sum(Collection<MemoryUsage> pools) {
    return pools.stream().mapToLong(MemoryUsage::getUsed).sum();
  }

  private static long used() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
