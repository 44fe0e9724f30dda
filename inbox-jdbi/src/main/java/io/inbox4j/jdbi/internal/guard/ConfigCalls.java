package io.inbox4j.jdbi.internal.guard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The {@code set_config} calls in a statement, and whether their settings outlive the transaction.
 */
final class ConfigCalls {

  private static final Set<String> NAMES = Set.of("SET_CONFIG", SqlTokens.QUOTED + "set_config");

  /** The arguments between the parentheses, up to and including the one being read. */
  private static final class Arguments {

    private static final int ENOUGH_TO_KNOW = 5;
    private static final Set<List<String>> LOCAL =
        Set.of(
            List.of("TRUE"),
            List.of("IS_LOCAL", "=", ">", "TRUE"),
            List.of("IS_LOCAL", ":", "=", "TRUE"));

    private final boolean ofCall;
    private final List<String> last = new ArrayList<>(ENOUGH_TO_KNOW);
    private int commas;

    Arguments(boolean ofCall) {
      this.ofCall = ofCall;
    }

    void add(String token) {
      if (token.equals(",")) {
        commas++;
        last.clear();
      } else if (last.size() < ENOUGH_TO_KNOW) {
        last.add(token);
      }
    }

    boolean outlives() {
      return ofCall && !(commas == 2 && LOCAL.contains(last));
    }
  }

  private final Deque<Arguments> open = new ArrayDeque<>();
  private String before = "";
  private boolean any;
  private boolean outlive;

  void add(String token) {
    switch (token) {
      case "(" -> {
        boolean ofCall = NAMES.contains(before);
        any |= ofCall;
        open.push(new Arguments(ofCall));
      }
      case ")" -> {
        if (!open.isEmpty()) {
          outlive |= open.pop().outlives();
        }
        addToArgument(token);
      }
      default -> addToArgument(token);
    }
    before = token;
  }

  private void addToArgument(String token) {
    if (!open.isEmpty()) {
      open.peek().add(token);
    }
  }

  /** Whether the statement calls {@code set_config} at all. */
  boolean any() {
    return any;
  }

  /**
   * Whether the setting of at least one call may outlive the transaction, because its third
   * argument is not the literal true.
   */
  boolean outliveTransaction() {
    return outlive;
  }
}
