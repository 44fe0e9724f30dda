package io.inbox4j.examples;

import io.inbox4j.examples.badinput.BadInput;
import io.inbox4j.examples.batches.Batches;
import io.inbox4j.examples.control.Control;
import io.inbox4j.examples.delays.Delays;
import io.inbox4j.examples.demo.Demo;
import io.inbox4j.examples.evolving.EvolvingTypes;
import io.inbox4j.examples.formats.Formats;
import io.inbox4j.examples.health.HowItIs;
import io.inbox4j.examples.inline.Inline;
import io.inbox4j.examples.inprocess.InProcess;
import io.inbox4j.examples.leased.Leased;
import io.inbox4j.examples.metrics.Metrics;
import io.inbox4j.examples.middleware.Middleware;
import io.inbox4j.examples.ordered.Ordered;
import io.inbox4j.examples.retry.RetryAndReplay;
import io.inbox4j.examples.traces.Traces;
import io.inbox4j.examples.transactional.Transactional;
import io.inbox4j.examples.twoprograms.Receiver;
import io.inbox4j.examples.twoprograms.TwoPrograms;
import io.inbox4j.examples.twoprograms.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Runs an example by its name; without a name it lists them. */
public final class Examples {

  private static final int WRONG_ARGUMENTS = 2;

  private interface Program {
    void run(String[] args) throws Exception;
  }

  private record Example(String name, String what, Program program) {}

  private static final List<Example> EXAMPLES =
      List.of(
          new Example("in-process", "the quick start: receive and process", InProcess::main),
          new Example("two-programs", "the receiver and the worker, one by one", TwoPrograms::main),
          new Example("receiver", "only receive, on your own servers", Receiver::main),
          new Example("worker", "only process, on your own servers", Worker::main),
          new Example(
              "transactional", "a handler's SQL and its message are one", Transactional::main),
          new Example(
              "retry-and-replay", "failing, dying, coming back or not", RetryAndReplay::main),
          new Example("bad-input", "deliveries that are no events", BadInput::main),
          new Example("ordered", "one key in order, others go on", Ordered::main),
          new Example("delays", "not before a time, or later", Delays::main),
          new Example("evolving-types", "renamed, reshaped, in families", EvolvingTypes::main),
          new Example("formats", "bodies that are no JSON", Formats::main),
          new Example("middleware", "what runs around every handler", Middleware::main),
          new Example("leased", "slow work, many at once on few connections", Leased::main),
          new Example("inline", "handled in the transaction that stores it", Inline::main),
          new Example("batches", "one statement over many events", Batches::main),
          new Example("control", "pause, limits, a circuit breaker", Control::main),
          new Example("health", "how the inbox is, part by part", HowItIs::main),
          new Example("metrics", "what is counted and measured", Metrics::main),
          new Example("traces", "one trace from producer to handler", Traces::main),
          new Example("demo", "all of it under fire; the same as bin/demo", Demo::main));

  private Examples() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      list();
      return;
    }
    Optional<Example> example = EXAMPLES.stream().filter(e -> e.name.equals(args[0])).findFirst();
    if (example.isEmpty()) {
      refuse(
          "there is no example '%s'; expected one of: %s"
              .formatted(
                  args[0], String.join(", ", EXAMPLES.stream().map(Example::name).toList())));
      return;
    }
    try {
      example.get().program.run(Arrays.copyOfRange(args, 1, args.length));
    } catch (IllegalArgumentException e) {
      refuse(e.getMessage());
    }
  }

  private static void list() {
    System.out.println("Usage: bin/example NAME, where NAME is one of");
    EXAMPLES.forEach(e -> System.out.printf("  %-17s %s%n", e.name, e.what));
    System.out.println("They run on embedded servers, or on your own if you set INBOX_AMQP (for");
    System.out.println("example amqp://guest:guest@localhost:5672) and INBOX_JDBC (for example");
    System.out.println("jdbc:postgresql://localhost/test?user=me).");
  }

  private static void refuse(String why) {
    System.err.println("bin/example: " + why);
    System.exit(WRONG_ARGUMENTS);
  }
}
