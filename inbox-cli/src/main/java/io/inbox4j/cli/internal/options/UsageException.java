package io.inbox4j.cli.internal.options;

/** Thrown if the program was invoked incorrectly; nothing was changed. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
