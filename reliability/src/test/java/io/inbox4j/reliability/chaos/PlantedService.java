package io.inbox4j.reliability.chaos;

import io.inbox4j.testkit.ChildProcess;
import java.util.List;

/** The service of a run with a bug in it. */
final class PlantedService {

  private PlantedService() {}

  static ChildProcess start(PlantedBug bug, String role, String jdbcUrl, String amqpUri) {
    return ChildProcess.start(
        List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        PlantedService.class,
        bug.name(),
        role,
        jdbcUrl,
        amqpUri);
  }

  public static void main(String[] args) throws Exception {
    PlantedBug bug = PlantedBug.valueOf(args[0]);
    WalkService.run(
        WalkService.inbox(bug.plantIn(WalkService.store(args[2]).build()), args[3], false),
        args[1].equals("receive"));
  }
}
