package io.inbox4j.engine;

/** Throws what a method does not declare, as Kotlin does and Lombok lets one do. */
final class Sneaky<T extends Throwable> {

  private Sneaky() {}

  static void raise(Throwable failure) {
    new Sneaky<RuntimeException>().raiseAs(failure);
  }

  @SuppressWarnings("unchecked") // the cast is erased, so whatever it is gets thrown
  private void raiseAs(Throwable failure) throws T {
    throw (T) failure;
  }
}
