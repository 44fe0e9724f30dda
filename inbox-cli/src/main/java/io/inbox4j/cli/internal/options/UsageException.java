package io.inbox4j.cli.internal.options;

/** The program was called in a way that cannot be meant; nothing was changed. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
