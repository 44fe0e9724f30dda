package io.inbox4j.cli.internal.commands;

import io.inbox4j.DeadLetters;
import io.inbox4j.PendingMessages;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.tables.FoundMessage;
import io.inbox4j.cli.internal.tables.MessageKey;
import io.inbox4j.error.InboxException;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options shared by replay, expedite and discard: which messages, and who does it. */
final class InterventionOptions {

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      converter = KeyConverter.class,
      description = "message ids, or places in the quarantine, as q17")
  private List<MessageKey> keys = new ArrayList<>();

  @Mixin private final FilterOptions filters = new FilterOptions();

  @Option(names = "--all", description = "all of them, without a filter")
  private boolean all;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "who does it, as it is recorded; default is the user of this machine")
  private @Nullable String by;

  @Option(names = "--reason", paramLabel = "TEXT", description = "why; recorded with the name")
  private @Nullable String reason;

  /** Messages to act on: those that match a filter, of one origin. */
  record Target(Origin origin, MessageFilter filter) {}

  /** Rejects contradictory options before anything is opened. */
  void check() {
    if (keys.isEmpty() && filters.isEmpty() && !all) {
      throw new UsageException(
          "no messages are named; expected ids, a filter such as --endpoint, or --all");
    }
    if (all && (!keys.isEmpty() || !filters.isEmpty())) {
      throw new UsageException(
          "--all is given together with ids or a filter; expected one of them");
    }
    MessageFilter filter = filters.filter();
    boolean narrows =
        !filter.types().isEmpty() || filter.text() != null || filter.olderThan() != null;
    if (!keys.isEmpty() && narrows) {
      throw new UsageException("ids are given together with a filter; expected one of them");
    }
  }

  /**
   * The selected messages.
   *
   * @param among where a filter searches
   * @param allowed where a message given by name may be
   * @param otherwise what to say about one that is elsewhere
   * @throws InboxException if a message given by name does not exist or is elsewhere; then nothing
   *     is done with the others either
   */
  List<Target> targets(
      CommandDatabase database, Origin among, Set<Origin> allowed, String otherwise) {
    if (keys.isEmpty()) {
      return List.of(new Target(among, filters.filter()));
    }
    List<Target> targets = new ArrayList<>();
    for (MessageKey key : keys) {
      List<FoundMessage> found = FoundMessage.all(database, key, filters.filter().endpoint());
      if (found.size() > 1) {
        throw new InboxException(
            "the message %s came to several endpoints, %s; name one with --endpoint"
                .formatted(key, found.stream().map(it -> it.fields().get("endpoint")).toList()));
      }
      FoundMessage it = found.get(0);
      Origin origin = it.origin();
      if (origin == null || !allowed.contains(origin)) {
        throw new InboxException("the message %s is %s; %s".formatted(key, it.status(), otherwise));
      }
      targets.add(new Target(origin, MessageFilter.all().sequence(it.sequence())));
    }
    return targets;
  }

  /** Whether individual messages are named, so that a missing one is a failure. */
  boolean namesMessages() {
    return !keys.isEmpty();
  }

  /** Whether all messages are selected. */
  boolean meansAll() {
    return all;
  }

  /** Who does it and why, in a single text, because there is only one column for both. */
  String actor() {
    String name = Objects.requireNonNullElse(by, System.getProperty("user.name", "unknown"));
    String actor = reason == null ? name : name + ": " + reason;
    if (name.isBlank() || actor.length() > 255) {
      throw new UsageException(
          "'%s' cannot be recorded; expected --by and --reason with 1 to 255 characters together"
              .formatted(actor));
    }
    return actor;
  }

  static DeadLetters deadLetters(CommandDatabase database, String actor) {
    return DeadLetters.in(database.store).as(actor);
  }

  static PendingMessages pending(CommandDatabase database, String actor) {
    return PendingMessages.in(database.store).as(actor);
  }

  /** The note about messages that were left unchanged because they are in flight. */
  static String leftAlone(int inFlight) {
    return switch (inFlight) {
      case 0 -> "";
      case 1 -> " 1 is in flight and was left alone.";
      default -> " %d are in flight and were left alone.".formatted(inFlight);
    };
  }
}
