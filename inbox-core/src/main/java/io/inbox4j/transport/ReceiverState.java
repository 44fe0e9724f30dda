package io.inbox4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * How receiving from an endpoint is.
 *
 * @param connected whether there is a connection to the broker, or there was one when it was last
 *     tried
 * @param consumers how many consumers take from the queue
 * @param failure what went wrong last, or null if all is well
 */
public record ReceiverState(boolean connected, int consumers, @Nullable String failure) {

  /** Before the first attempt to connect has come to its end. */
  public static ReceiverState connecting() {
    return new ReceiverState(false, 0, "not connected yet");
  }
}
