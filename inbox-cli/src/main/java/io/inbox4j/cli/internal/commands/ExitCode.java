package io.inbox4j.cli.internal.commands;

/** The exit codes of a command other than 0 for success. */
public final class ExitCode {

  /** The command was understood but failed, or what it examined has a problem. */
  public static final int FAILED = 1;

  /** The command was not understood, and nothing was done. */
  public static final int WRONG_USAGE = 2;

  private ExitCode() {}
}
