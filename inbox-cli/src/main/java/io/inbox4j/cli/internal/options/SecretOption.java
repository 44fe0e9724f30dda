package io.inbox4j.cli.internal.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A password, given directly or through a file that contains it, as is usual for containers. */
final class SecretOption {

  private SecretOption() {}

  /** The password, or null if there is none. */
  static @Nullable String of(@Nullable String given, @Nullable Path file, String option) {
    if (file == null) {
      return given;
    }
    if (given != null) {
      throw new UsageException(
          "both %s and %s-file are given; expected one of them".formatted(option, option));
    }
    try {
      return Files.readString(file).stripTrailing();
    } catch (IOException e) {
      throw new UsageException(
          "the file '%s' given by %s-file cannot be read: %s"
              .formatted(file, option, e.getClass().getSimpleName()));
    }
  }
}
