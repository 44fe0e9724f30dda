package io.inbox4j.reliability.chaos;

import io.inbox4j.reliability.chaos.Fault.Hit;
import java.time.Duration;
import java.util.List;

/** What happens to the cluster of brokers, and on the way to it. */
final class BrokerFaults {

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private BrokerFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "the broker closes all connections",
            "receivers connect again; what comes again is a duplicate",
            "`rabbit_networking:close_connections`",
            scene -> scene.inFlight(() -> scene.rabbit.closeConnections(1))),
        new Fault(
            "everything is delivered again and again",
            "receivers connect again; what comes again is a duplicate",
            "all connections closed 6 times in 2 s",
            scene -> scene.inFlight(() -> scene.rabbit.closeConnections(6))),
        new Fault(
            "producers repeat themselves",
            "nothing changes",
            "300 confirmed messages published again",
            scene -> new Hit(scene.publisher.repeat(300), "messages repeated")),
        new Fault(
            "the brokers stop and start",
            "receivers connect again; workers do not notice",
            "`rabbit:stop()`, `rabbit:start()` on all nodes",
            scene -> {
              return scene.inFlight(
                  () -> {
                    scene.rabbit.stopApps();
                    scene.rabbit.startApps();
                  });
            }),
        new Fault(
            "the brokers are away when a receiver starts",
            "it starts, and consumes when it can",
            "stopped, receiver started, 3 s, started",
            scene -> {
              Scene.AtWork victim = scene.caughtAtWork(scene::someReceiver);
              scene.rabbit.stopApps();
              victim.walker().process().kill9();
              scene.replace(victim.walker());
              Thread.sleep(3_000);
              scene.rabbit.startApps();
              return victim.hit();
            }),
        new Fault(
            "all brokers are killed",
            "receivers connect again; what comes again is a duplicate",
            "`kill -9` of all three nodes, then a restart",
            scene -> {
              scene.rabbit.flush();
              return scene.inFlight(
                  () -> {
                    scene.rabbit.kill9();
                    scene.rabbit.restart();
                  });
            }),
        new Fault(
            "the leader of a quorum queue is killed",
            "another node leads, receivers go on there",
            "`kill -9` of its node, then a restart",
            scene -> {
              scene.rabbit.flush();
              int leader = scene.rabbit.leaderOf(someQueue(scene));
              return scene.inFlight(
                  () -> {
                    scene.rabbit.kill9(leader);
                    scene.rabbit.restart(leader);
                  });
            }),
        new Fault(
            "the brokers have a memory alarm",
            "publishers wait, receivers go on",
            "`vm_memory_monitor`, 2 s",
            scene ->
                alarm(
                    scene,
                    "vm_memory_monitor:set_vm_memory_high_watermark(0.00001)",
                    "vm_memory_monitor:set_vm_memory_high_watermark(0.4)")),
        new Fault(
            "the brokers have a disk alarm",
            "publishers wait, receivers go on",
            "`rabbit_disk_monitor`, 2 s",
            scene ->
                alarm(
                    scene,
                    "rabbit_disk_monitor:set_disk_free_limit(\"900TB\")",
                    "rabbit_disk_monitor:set_disk_free_limit(\"50MB\")")),
        new Fault(
            "a queue that is empty is deleted",
            "a receiver declares it again and consumes",
            "`queue.delete`; the inbox declares it again",
            scene -> {
              String queue = someQueue(scene);
              scene.publisher.pause();
              try {
                scene.publisher.awaitConfirms();
                if (!Quiet.await(DEADLINE, () -> scene.rabbit.messagesIn(List.of(queue)) == 0)) {
                  return new Hit(0, "queues that were empty");
                }
                long pending = scene.tables.pending();
                Quiet.delete(scene.amqpUri(), queue);
                Quiet.await(DEADLINE, () -> Quiet.exist(scene.amqpUri(), List.of(queue)));
                return new Hit(Math.max(1, pending), "consumers, or messages not handled");
              } finally {
                scene.publisher.resume();
              }
            }),
        new Fault(
            "connections to the broker are half open",
            "the heartbeat notices, receivers connect again",
            "a proxy that falls silent",
            scene -> scene.inFlight(() -> scene.waysToRabbit().forEach(Wire::silence))),
        new Fault(
            "connections to the broker break",
            "receivers connect again; what comes again is a duplicate",
            "a proxy that resets them",
            scene -> scene.inFlight(() -> scene.waysToRabbit().forEach(Wire::cut))));
  }

  private static String someQueue(Scene scene) {
    return Walks.queues().get(scene.random.nextInt(Walks.values().length));
  }

  private static Hit alarm(Scene scene, String raise, String lower) throws Exception {
    return scene.inFlight(
        () -> {
          scene.rabbit.onAll(raise);
          Thread.sleep(2_000);
          scene.rabbit.onAll(lower);
        });
  }
}
