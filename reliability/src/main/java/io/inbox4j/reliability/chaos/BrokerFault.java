package io.inbox4j.reliability.chaos;

import java.time.Duration;
import java.util.List;

/** What happens to the cluster of brokers, and on the way to it. */
enum BrokerFault implements Fault {
  CONNECTIONS_CLOSED(
      "the broker closes all connections",
      "receivers connect again; what comes again is a duplicate",
      "`rabbit_networking:close_connections`") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return scene.inHand(() -> scene.rabbit.closeConnections(1));
    }
  },
  REDELIVERY_STORM(
      "everything is delivered again and again",
      "receivers connect again; what comes again is a duplicate",
      "all connections closed 6 times in 2 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return scene.inHand(() -> scene.rabbit.closeConnections(6));
    }
  },
  DUPLICATES(
      "producers repeat themselves", "nothing changes", "300 confirmed messages published again") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return new Hit(scene.publisher.repeat(300), "messages repeated");
    }
  },
  STOPPED(
      "the brokers stop and start",
      "receivers connect again; workers do not notice",
      "`rabbit:stop()`, `rabbit:start()` on all nodes") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return scene.inHand(
          () -> {
            scene.rabbit.stopApps();
            scene.rabbit.startApps();
          });
    }
  },
  AWAY_AT_START(
      "the brokers are away when a receiver starts",
      "it starts, and consumes when it can",
      "stopped, receiver started, 3 s, started") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      Scene.AtWork victim = scene.caughtAtWork(scene::someReceiver);
      scene.rabbit.stopApps();
      victim.walker().process().kill9();
      scene.replace(victim.walker());
      Thread.sleep(3_000);
      scene.rabbit.startApps();
      return victim.hit();
    }
  },
  KILLED(
      "all brokers are killed",
      "receivers connect again; what comes again is a duplicate",
      "`kill -9` of all three nodes, then a restart") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      scene.rabbit.flush();
      return scene.inHand(
          () -> {
            scene.rabbit.kill9();
            scene.rabbit.restart();
          });
    }
  },
  LEADER_KILLED(
      "the leader of a quorum queue is killed",
      "another node leads, receivers go on there",
      "`kill -9` of its node, then a restart") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      scene.rabbit.flush();
      int leader = scene.rabbit.leaderOf(someQueue(scene));
      return scene.inHand(
          () -> {
            scene.rabbit.kill9(leader);
            scene.rabbit.restart(leader);
          });
    }
  },
  MEMORY_ALARM(
      "the brokers have a memory alarm",
      "publishers wait, receivers go on",
      "`vm_memory_monitor`, 2 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return alarm(
          scene,
          "vm_memory_monitor:set_vm_memory_high_watermark(0.00001)",
          "vm_memory_monitor:set_vm_memory_high_watermark(0.4)");
    }
  },
  DISK_ALARM(
      "the brokers have a disk alarm",
      "publishers wait, receivers go on",
      "`rabbit_disk_monitor`, 2 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return alarm(
          scene,
          "rabbit_disk_monitor:set_disk_free_limit(\"900TB\")",
          "rabbit_disk_monitor:set_disk_free_limit(\"50MB\")");
    }
  },
  QUEUE_DELETED(
      "a queue that is empty is deleted",
      "a receiver declares it again and consumes",
      "`queue.delete`; the inbox declares it again") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      String queue = someQueue(scene);
      scene.publisher.pause();
      try {
        scene.publisher.awaitConfirms();
        if (!Quiet.await(DEADLINE, () -> scene.rabbit.messagesIn(queue) == 0)) {
          return new Hit(0, "queues that were empty");
        }
        long pending = scene.tables.pending();
        Quiet.delete(scene.amqpUri(), queue);
        Quiet.await(DEADLINE, () -> Quiet.areEmpty(scene.amqpUri(), List.of(queue)));
        return new Hit(Math.max(1, pending), "consumers, or messages not handled");
      } finally {
        scene.publisher.resume();
      }
    }
  },
  HALF_OPEN(
      "connections to the broker are half open",
      "the heartbeat notices, receivers connect again",
      "a proxy that falls silent") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return scene.inHand(() -> scene.waysToRabbit().forEach(Wire::silence));
    }
  },
  CUT(
      "connections to the broker break",
      "receivers connect again; what comes again is a duplicate",
      "a proxy that resets them") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      return scene.inHand(() -> scene.waysToRabbit().forEach(Wire::cut));
    }
  };

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final String what;
  private final String expected;
  private final String how;

  BrokerFault(String what, String expected, String how) {
    this.what = what;
    this.expected = expected;
    this.how = how;
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public String expected() {
    return expected;
  }

  @Override
  public String how() {
    return how;
  }

  private static String someQueue(Scene scene) {
    return Walks.queues().get(scene.random.nextInt(Walks.values().length));
  }

  private static Hit alarm(Scene scene, String raise, String lower) throws Exception {
    return scene.inHand(
        () -> {
          scene.rabbit.onAll(raise);
          Thread.sleep(2_000);
          scene.rabbit.onAll(lower);
        });
  }
}
