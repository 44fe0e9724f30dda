package io.inbox4j;

/** The name under which an operator's interventions are recorded. */
record Actor(String name) {

  private static final int MAX_LENGTH = 255;

  Actor {
    if (name.isBlank() || name.length() > MAX_LENGTH || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "'%s' cannot be recorded as who did it; expected 1 to %d characters that are not blank"
              .formatted(name, MAX_LENGTH));
    }
  }

  /** The operating system user. */
  static Actor ofSystem() {
    String user = System.getProperty("user.name", "");
    return new Actor(user.isBlank() ? "unknown" : user);
  }
}
