package io.inbox4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * The state of a receiver.
 *
 * @param connected whether there is a connection to the broker, or there was one when it was last
 *     checked
 * @param consumers how many consumers receive from the queue
 * @param failure the last failure, or null if there is none
 */
public record ReceiverState(boolean connected, int consumers, @Nullable String failure) {

  /** The state before the first attempt to connect has completed. */
  public static ReceiverState connecting() {
    return new ReceiverState(false, 0, "not connected yet");
  }
}
