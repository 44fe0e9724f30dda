package io.inbox4j.cli.internal.commands;

/** What a script learns of a command, other than 0 for success. */
public final class ExitCode {

  /** It was understood, and could not be done; or what was examined is not well. */
  public static final int FAILED = 1;

  /** It was not understood, and nothing was done. */
  public static final int WRONG_USAGE = 2;

  private ExitCode() {}
}
