package io.inbox4j.testkit;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Nodes of the RabbitMQ that is installed on this machine, which form a cluster on loopback and can
 * be killed one by one.
 */
public final class RabbitCluster implements AutoCloseable {

  private final List<LocalRabbit> nodes;

  private RabbitCluster(List<LocalRabbit> nodes) {
    this.nodes = nodes;
  }

  /** Whether the machine has a RabbitMQ to start nodes of. */
  public static boolean isPossible() {
    return RabbitInstallation.find().isPresent();
  }

  /** Starts a cluster of this many nodes; the caller closes it. */
  public static RabbitCluster start(int size) {
    RabbitInstallation installation =
        RabbitInstallation.find()
            .orElseThrow(() -> new IllegalStateException("a cluster needs rabbitmq-server here"));
    List<LocalRabbit> nodes = new ArrayList<>();
    for (RabbitNodeFolder folder : RabbitNodeFolder.create(installation, size)) {
      nodes.add(new LocalRabbit(installation, folder));
    }
    RabbitCluster cluster = new RabbitCluster(nodes);
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "close the RabbitMQ cluster"));
    try {
      nodes.get(0).startPortMapper();
      // All at once: a new node of RabbitMQ 4 waits for the others before it begins.
      together(nodes.stream(), LocalRabbit::startNode);
      cluster.awaitMembers();
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  /** Fails unless every node knows all the others: each may have begun a cluster of its own. */
  private void awaitMembers() {
    for (LocalRabbit node : nodes) {
      node.ctl("eval", "ok = rabbit_nodes:await_running_count(%d, 30000).".formatted(size()));
    }
  }

  public int size() {
    return nodes.size();
  }

  /** The port of a node. */
  public int port(int node) {
    return URI.create(nodes.get(node).uri()).getPort();
  }

  /** Whether the process of a node is there. */
  public boolean isUp(int node) {
    return nodes.get(node).isUp();
  }

  /** Runs {@code rabbitmqctl} against a node that is up and returns what it printed. */
  public String ctl(String... args) {
    return someNode().ctl(args);
  }

  /** The node that leads a quorum queue. */
  public int leaderOf(String queue) {
    String leader =
        ctl(
            "eval",
            "{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\"%s\">>)),"
                    .formatted(queue)
                + " element(2, amqqueue:get_pid(Q)).");
    Optional<LocalRabbit> node =
        nodes.stream().filter(it -> leader.contains(it.nodeName())).findFirst();
    return nodes.indexOf(
        node.orElseThrow(
            () -> new IllegalStateException("the leader of " + queue + " is " + leader)));
  }

  /** See {@link RabbitServer#messagesIn}. */
  public long messagesIn(List<String> queues) {
    return someNode().messagesIn(queues);
  }

  /** Kills one node at once. */
  public void kill9(int node) {
    nodes.get(node).kill9();
  }

  /** Starts a killed node again, and returns when it takes connections. */
  public void restart(int node) {
    nodes.get(node).startNode();
  }

  /** Kills all nodes at once, as a power failure would. */
  public void kill9() {
    together(nodes.stream(), LocalRabbit::kill9);
  }

  /** Starts all nodes after {@link #kill9()}; each of them waits for the others. */
  public void restart() {
    together(nodes.stream(), LocalRabbit::startNode);
  }

  /** Stops the broker inside all Erlang nodes, which go on. */
  public void stopApps() {
    onAll("rabbit:stop()");
  }

  /** Starts the broker after {@link #stopApps()}, and returns when all nodes take connections. */
  public void startApps() {
    onAll("rabbit:start()");
    nodes.forEach(node -> AmqpProbe.awaitReady(node.uri()));
  }

  /** Closes every connection from the servers' side, several times, with a pause between. */
  public void closeConnections(int times) {
    onAll(
        "[begin rabbit_networking:close_connections(rabbit_networking:local_connections(),"
            + " \"closed by a test\"), timer:sleep(300) end || _ <- lists:seq(1, %d)]"
                .formatted(times));
  }

  /** Writes down which queues there are, see {@link RabbitServer#flush()}. */
  public void flush() {
    onAll("begin mnesia:sync_log(), [dets:sync(T) || T <- dets:all()] end");
  }

  /** Evaluates an Erlang expression on all nodes at the same time, by one call. */
  public void onAll(String expression) {
    String names =
        String.join(",", nodes.stream().map(node -> "'" + node.nodeName() + "'").toList());
    String answer =
        ctl("eval", "erpc:multicall([%s], fun() -> %s end, 60000).".formatted(names, expression));
    if (answer.contains("{error,") || answer.contains("{throw,") || answer.contains("{exit,")) {
      throw new IllegalStateException(expression + " ended with " + answer);
    }
  }

  private LocalRabbit someNode() {
    return nodes.stream()
        .filter(LocalRabbit::isUp)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no node is up"));
  }

  private interface Act {
    void on(LocalRabbit node);
  }

  private static void together(Stream<LocalRabbit> nodes, Act act) {
    CompletableFuture.allOf(
            nodes
                .map(
                    node ->
                        CompletableFuture.runAsync(
                            () -> act.on(node), task -> new Thread(task).start()))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  @Override
  public void close() {
    nodes.forEach(LocalRabbit::close);
  }
}
