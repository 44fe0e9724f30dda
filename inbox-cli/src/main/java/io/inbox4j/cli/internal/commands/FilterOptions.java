package io.inbox4j.cli.internal.commands;

import io.inbox4j.operations.MessageFilter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select messages. */
final class FilterOptions {

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      description = "only those of this endpoint")
  private @Nullable String endpoint;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "only those of this event type; can be repeated")
  private Set<String> types = new LinkedHashSet<>();

  @Option(
      names = "--text",
      paramLabel = "TEXT",
      description = "only those with this text in their error or reason")
  private @Nullable String text;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = "only those that have been there for this long: 30s, 5m, 2h, 7d")
  private @Nullable Duration olderThan;

  boolean isEmpty() {
    return filter().equals(MessageFilter.all());
  }

  MessageFilter filter() {
    return new MessageFilter(endpoint, types, text, olderThan, null);
  }
}
