package io.inbox4j.benchmarks.workloads;

import io.inbox4j.benchmarks.lab.Contender;
import io.inbox4j.benchmarks.report.Results;
import java.util.List;

/** Contenders that take turns. */
record Interleaved(String key, String title, boolean inserts, List<Contender> contenders)
    implements Workload {

  @Override
  public void run(Session session) throws Exception {
    Results.Section section = session.begin(this);
    List<Contender> possible = contenders.stream().filter(Contender::isPossible).toList();
    for (Contender contender : possible) {
      session.warmUp(contender, inserts);
    }
    for (int repetition = 1; repetition <= session.repetitions(); repetition++) {
      for (Contender contender : possible) {
        session.measure(section, contender, inserts, repetition);
      }
    }
  }
}
