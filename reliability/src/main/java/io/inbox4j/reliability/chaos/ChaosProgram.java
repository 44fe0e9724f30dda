package io.inbox4j.reliability.chaos;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code bin/chaos --messages N --faults N --minutes N --seed N --only TEXT}; its exit code is 0 if
 * nothing is found.
 */
public final class ChaosProgram {

  private static final int FOUND_SOMETHING = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private ChaosProgram() {}

  public static void main(String[] args) throws Exception {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("--messages", "20000");
    options.put("--faults", "30");
    options.put("--minutes", "0");
    options.put("--seed", Long.toString(System.currentTimeMillis()));
    options.put("--only", "");
    for (int i = 0; i < args.length; i += 2) {
      String value = i + 1 == args.length ? "" : args[i + 1];
      if (!options.containsKey(args[i])
          || !(args[i].equals("--only") || value.matches("[0-9]{1,15}"))) {
        System.err.printf(
            "'%s %s' is not understood; expected --messages N, --faults N, --minutes N, --seed N,"
                + " --only PART-OF-A-FAULT%n",
            args[i], value);
        System.exit(WRONG_ARGUMENTS);
      }
      options.put(args[i], value);
    }
    System.out.println("running with " + options);
    long begin = System.nanoTime();
    Chaos.Outcome outcome =
        Chaos.run(
            new Chaos.Plan(
                Integer.parseInt(options.get("--messages")),
                Integer.parseInt(options.get("--faults")),
                Duration.ofMinutes(Long.parseLong(options.get("--minutes"))),
                Long.parseLong(options.get("--seed")),
                options.get("--only")));
    System.out.printf(
        "%,d confirmed, %,d handled, %,d dead, %d faults, seed %s, %d s%n",
        outcome.confirmed(),
        outcome.handled(),
        outcome.dead(),
        outcome.strikes().size(),
        options.get("--seed"),
        (System.nanoTime() - begin) / 1_000_000_000);
    for (Chaos.Veteran veteran : outcome.veterans()) {
      System.out.printf(
          "%s: %s before, %s after%n", veteran.role(), veteran.before(), veteran.after());
    }
    System.out.println();
    System.out.println(FaultTable.of(outcome.strikes()));
    System.out.print(outcome.verdict());
    System.exit(outcome.isClean() ? 0 : FOUND_SOMETHING);
  }
}
