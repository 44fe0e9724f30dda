package io.inbox4j.examples.demo;

import io.inbox4j.examples.support.Servers;
import java.util.Locale;

/** The demo: shows that nothing is lost and nothing is doubled, whatever happens on the way. */
public final class Demo {

  private static final int WRONG_SUMS = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private Demo() {}

  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT);
    System.exit(run(args));
  }

  private static int run(String... args) {
    DemoOptions options;
    try {
      options = DemoOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("bin/demo: " + e.getMessage());
      return WRONG_ARGUMENTS;
    }
    if (options.help()) {
      System.out.print(DemoOptions.USAGE);
      return 0;
    }
    try {
      DemoLog.begin();
      return run(options) ? 0 : WRONG_SUMS;
    } catch (Exception e) {
      System.err.printf("bin/demo: it could not run: %s; see %s%n", e, DemoLog.file());
      return WRONG_SUMS;
    }
  }

  private static boolean run(DemoOptions options) throws Exception {
    OrderPlan plan = new OrderPlan(options.orders());
    Screen screen = new Screen(System.out, Boolean.getBoolean("inbox.terminal"));
    if (options.amqpUri() == null) {
      screen.say("Starting an embedded PostgreSQL and an embedded AMQP broker ...");
    }
    try (Servers servers = options.servers()) {
      boolean right = new DemoRun(servers, plan, screen).run();
      screen.say(
          right
              ? "RIGHT: every good order had its effect exactly once, and nothing else is missing."
              : "WRONG: see above.");
      screen.say("");
      if (options.jdbcUrl() == null) {
        screen.say(
            "Next: bin/example lists programs to copy from; bin/demo --help says how to run");
        screen.say("      this on your own servers. Warnings of this run: " + DemoLog.file());
      } else {
        screen.say("Next: look at it with SELECT * FROM inbox_demo.inbox WHERE status = 'dead';");
        screen.say("      bin/example lists programs to copy from. Warnings: " + DemoLog.file());
      }
      return right;
    }
  }
}
