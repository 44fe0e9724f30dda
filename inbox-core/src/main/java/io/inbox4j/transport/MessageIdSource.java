package io.inbox4j.transport;

/** Where an endpoint finds the identity of a message. */
public enum MessageIdSource {
  /**
   * In the message-id property or in the body's {@code messageId}, whichever is there; if both are,
   * they must agree.
   */
  ANY,
  /** In the message-id property only; for producers whose bodies carry another id. */
  PROPERTY,
  /** In the body's {@code messageId} only; for producers that set a new property at every send. */
  BODY,
  /** In the body as a whole: the same bytes are the same message. For producers without ids. */
  CONTENT
}
