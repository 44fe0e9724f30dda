package io.inbox4j.testkit;

/** The RabbitMQ that somebody else runs, named by {@code INBOX_TEST_AMQP}. */
record GivenRabbit(String uri) implements RabbitServer {

  @Override
  public boolean isOwn() {
    return false;
  }

  @Override
  public String ctl(String... args) {
    throw unavailable("rabbitmqctl " + String.join(" ", args));
  }

  @Override
  public void kill9() {
    throw unavailable("kill9");
  }

  @Override
  public void freeze() {
    throw unavailable("freeze");
  }

  @Override
  public void unfreeze() {
    throw unavailable("unfreeze");
  }

  @Override
  public void restart() {
    throw unavailable("restart");
  }

  @Override
  public void close() {}

  private static IllegalStateException unavailable(String operation) {
    return new IllegalStateException(
        operation
            + " is unavailable: INBOX_TEST_AMQP names a broker that tests may use but not control;"
            + " unset it for a server of the tests' own");
  }
}
