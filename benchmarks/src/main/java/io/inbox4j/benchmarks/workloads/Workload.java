package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.byhand.HandWritten;
import io.inbox4j.benchmarks.byhand.RawConsume;
import io.inbox4j.benchmarks.byhand.SingleTable;
import io.inbox4j.benchmarks.inbox.Drain;
import io.inbox4j.benchmarks.inbox.EndToEnd;
import io.inbox4j.benchmarks.inbox.Ingest;
import io.inbox4j.benchmarks.inbox.Processes;
import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.peers.Peer;
import java.util.ArrayList;
import java.util.List;

/** Something to do for those that are compared. */
public interface Workload {

  /** By which it can be chosen. */
  String key();

  String title();

  void run(Session session) throws Exception;

  /** All of them, in the order in which they run. */
  static List<Workload> all() {
    return List.of(
        new Interleaved(
            "ingest",
            "From the broker into the database, four times as many messages",
            false,
            List.of(
                Ingest.usual(),
                Ingest.withConsumers(2),
                RawConsume.withLargeWindow(),
                RawConsume.withSmallWindow())),
        new Interleaved("A", "Drain, the handler does nothing", false, drains(Drain.usual())),
        new Interleaved(
            "B",
            "Drain, the handler inserts a row",
            true,
            drains(Drain.usual(), Drain.handedOver(), Drain.inBatches())),
        new Interleaved(
            "C",
            "End to end: from the broker to the committed row",
            true,
            List.of(
                EndToEnd.usual(), EndToEnd.inBatches(), EndToEnd.inline(), new SingleTable(true))),
        new SteadyLoad(),
        new Interleaved(
            "E",
            "End to end with trouble",
            true,
            List.of(EndToEnd.usual().called("clean"), EndToEnd.troubled())),
        new HeldTransaction(),
        new Growth(),
        new Interleaved(
            "H",
            "Drain with more workers, and with more processes (100,000 messages at least)",
            true,
            List.of(
                Drain.withWorkers(4),
                Drain.withWorkers(16),
                Drain.withWorkers(64),
                new Processes(1),
                new Processes(2),
                new Processes(4),
                new Processes(8))),
        new Interleaved(
            "I",
            "Drain in the order of keys",
            true,
            List.of(
                Drain.usual().called("unordered"),
                Drain.uniformKeys(),
                Drain.skewedKeys(),
                Drain.hotKey(),
                Drain.hotKeyOneByOne())),
        new Heap(),
        new OldMessages());
  }

  private static List<Contender> drains(Drain... ofTheInbox) {
    List<Contender> all = new ArrayList<>(List.of(ofTheInbox));
    all.add(new HandWritten());
    all.add(new SingleTable(false));
    all.addAll(Peer.all());
    return all;
  }
}
