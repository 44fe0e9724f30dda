package io.inbox4j.jdbi;

import io.inbox4j.Inbox;

/** A process that handles the messages of {@code orders}, until its input ends. */
final class RegisteredWorker {

  private RegisteredWorker() {}

  /** The arguments are the URL of the database and the name of the process. */
  public static void main(String[] args) throws Exception {
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(args[0]))
            .instanceName(args[1])
            .subscribe(Messages.ENDPOINT, Created.class, (event, context) -> {})
            .build()) {
      inbox.startProcessing();
      System.out.println("started");
      while (System.in.read() >= 0) {
        // goes on
      }
    }
  }
}
