package io.inbox4j.examples.twoprograms;

import io.inbox4j.Inbox;
import io.inbox4j.examples.support.Servers;

/**
 * A program that only processes: it runs handlers on what any receiver stored.
 *
 * <p>It needs {@code INBOX_AMQP} and {@code INBOX_JDBC}, and runs until it is asked to end. Start
 * as many as there is work for; they share the table.
 */
public final class Worker {

  private Worker() {}

  public static void main(String[] args) {
    Inbox inbox = BillingInbox.build(Servers.given());
    Runtime.getRuntime().addShutdownHook(new Thread(inbox::close));
    inbox.startProcessing();
    System.out.println("Processing " + BillingInbox.QUEUE + "; end it with Ctrl-C.");
  }
}
