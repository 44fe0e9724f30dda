package io.inbox4j.error;

/** The root of all exceptions that the inbox itself throws. */
public class InboxException extends RuntimeException {

  public InboxException(String message) {
    super(message);
  }

  public InboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
