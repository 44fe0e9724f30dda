package io.inbox4j.examples.twoprograms;

import io.inbox4j.Inbox;
import io.inbox4j.examples.support.Servers;

/**
 * A program that only receives: it stores what the broker delivers, and runs no handler.
 *
 * <p>It needs {@code INBOX_AMQP} and {@code INBOX_JDBC}, and runs until it is asked to end.
 */
public final class Receiver {

  private Receiver() {}

  public static void main(String[] args) {
    Inbox inbox = BillingInbox.build(Servers.given());
    Runtime.getRuntime().addShutdownHook(new Thread(inbox::close));
    inbox.startReceiving();
    System.out.println("Receiving " + BillingInbox.QUEUE + "; end it with Ctrl-C.");
  }
}
