package io.inbox4j.worker;

/** The program was called in a way that cannot be meant; nothing was changed. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
