package io.inbox4j.transport;

/** Where an endpoint finds the identity of a message. */
public enum MessageIdSource {
  /**
   * In the message-id property or in the body's {@code messageId}, whichever is present; if both
   * are, they must agree.
   */
  ANY,
  /** In the message-id property only; for producers whose bodies carry a different id. */
  PROPERTY,
  /** In the body's {@code messageId} only; for producers that set a new property on every send. */
  BODY,
  /**
   * Derived from the whole body: the same bytes are the same message. For producers without ids.
   */
  CONTENT
}
