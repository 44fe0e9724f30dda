package io.inbox4j.reliability.chaos;

/** What handlers do to the process that runs them, when they are told to. */
enum HandlerFault implements Fault {
  NEVER_RETURNS(
      "a handler never returns",
      "the process ends in time all the same; the message is handled by others",
      "it sleeps for ever; then SIGTERM, deadline 10 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      Walker walker = scene.tell(scene.someWorker(), Mischief.HANG);
      walker.end();
      scene.replace(walker);
      return new Hit(1, "handler");
    }
  },
  HALTS(
      "a handler kills its process",
      "the message is tried again alone, its neighbours are handled",
      "`Runtime.halt`") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      Walker walker = scene.tell(scene.someWorker(), Mischief.HALT);
      walker.process().exitCode(Walker.DEADLINE);
      scene.replace(walker);
      return new Hit(1, "handler");
    }
  },
  DEADLOCKS(
      "handlers deadlock",
      "the loser is done again, no attempt is used up",
      "two rows updated in either order, 2 s") {
    @Override
    public Hit strike(Scene scene) throws Exception {
      long before = deadlocks(scene);
      for (Walker walker : scene.everybody()) {
        walker.process().send(Mischief.DEADLOCK.name());
      }
      for (int i = 0; i < 20; i++) {
        scene.feed();
        Thread.sleep(200);
      }
      return new Hit(deadlocks(scene) - before, "deadlocks");
    }
  };

  private final String what;
  private final String expected;
  private final String how;

  HandlerFault(String what, String expected, String how) {
    this.what = what;
    this.expected = expected;
    this.how = how;
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public String expected() {
    return expected;
  }

  @Override
  public String how() {
    return how;
  }

  private static long deadlocks(Scene scene) {
    return scene.tables.count(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }
}
