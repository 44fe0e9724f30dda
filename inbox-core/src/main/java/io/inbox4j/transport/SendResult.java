package io.inbox4j.transport;

/** What became of a message that was sent. */
public sealed interface SendResult {

  /** The broker has taken responsibility for it. */
  record Confirmed() implements SendResult {}

  /** The broker has no queue for it: nobody has subscribed, or the queue does not exist. */
  record Unroutable(String reason) implements SendResult {}

  /**
   * It can never be sent as it is: it is too large, say.
   *
   * @param reason why, without payload
   */
  record Rejected(String reason) implements SendResult {}

  /**
   * Nobody knows whether the broker has it, or it has refused it for now: it has to be sent again.
   *
   * @param reason why, without payload
   */
  record Unknown(String reason) implements SendResult {}
}
