package io.inbox4j.error;

/** The root of every exception that the inbox throws by itself. */
public class InboxException extends RuntimeException {

  public InboxException(String message) {
    super(message);
  }

  public InboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
