package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.inbox.Processes;
import io.inbox4j.benchmarks.report.Results;

/** What a small process needs of memory for many messages. */
record Heap() implements Workload {

  private static final int MESSAGES = 1_000_000;

  @Override
  public String key() {
    return "heap";
  }

  @Override
  public String title() {
    return "A drain of 1 million with -Xmx256m";
  }

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    Processes process = new Processes(1);
    session.add(
        section,
        process.name(),
        process.contract(),
        1,
        session.lab().run(process, session.scaled(MESSAGES), true));
  }
}
