package io.inbox4j.cli.internal.options;

import io.inbox4j.operations.Retention;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for how long finished messages are kept. */
public final class RetentionOptions {

  @Option(
      names = "--retention-days",
      paramLabel = "DAYS",
      description = "how long processed messages are kept; 0 is forever")
  private @Nullable Integer keep;

  @Option(
      names = "--dedup-days",
      paramLabel = "DAYS",
      description = "how long their identities are kept; as long as the messages if not given")
  private @Nullable Integer dedup;

  @Option(
      names = "--archive-days",
      paramLabel = "DAYS",
      description = "how long they are in the archive after that; no archive if not given")
  private @Nullable Integer archive;

  @Option(
      names = "--history-days",
      paramLabel = "DAYS",
      description = "how long it is known who replayed and discarded what; forever if not given")
  private @Nullable Integer history;

  /** The retention that was given, or null if none was. */
  public @Nullable Retention given() {
    if (keep == null) {
      if (dedup != null || archive != null || history != null) {
        throw new UsageException(
            "--dedup-days, --archive-days and --history-days need --retention-days");
      }
      return null;
    }
    try {
      return keep == 0
          ? new Retention(null, days(dedup), days(archive), days(history))
          : new Retention(Duration.ofDays(keep), days(dedup), days(archive), days(history));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static @Nullable Duration days(@Nullable Integer days) {
    return days == null ? null : Duration.ofDays(days);
  }
}
