package io.inbox4j.build;

import java.nio.file.Path;

/** A build file says something that the parity check does not understand and so must not skip. */
final class UnreadableBuildFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableBuildFileException(Path file, int line, String text, String why) {
    super("%s:%d: %s: %s".formatted(file, line, why, text.strip()));
  }

  UnreadableBuildFileException(Path file, String why) {
    super("%s: %s".formatted(file, why));
  }

  UnreadableBuildFileException(Path file, Throwable cause) {
    super("%s: %s".formatted(file, cause.getMessage()), cause);
  }
}
