package io.inbox4j.cli.internal.doctor;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the doctor has found out about something.
 *
 * @param check what was looked at
 * @param level how it is
 * @param detail what was seen
 * @param remedy what to do, or null if there is nothing to do
 */
public record Diagnosis(String check, Level level, String detail, @Nullable String remedy) {

  /** How something is. */
  public enum Level {
    OK,
    WARNING,
    WRONG;

    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Diagnosis ok(String check, String detail) {
    return new Diagnosis(check, Level.OK, detail, null);
  }

  static Diagnosis warning(String check, String detail, String remedy) {
    return new Diagnosis(check, Level.WARNING, detail, remedy);
  }

  public static Diagnosis wrong(String check, String detail, String remedy) {
    return new Diagnosis(check, Level.WRONG, detail, remedy);
  }

  public boolean isWrong() {
    return level == Level.WRONG;
  }
}
