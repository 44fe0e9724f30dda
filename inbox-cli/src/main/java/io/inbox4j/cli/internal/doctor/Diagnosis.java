package io.inbox4j.cli.internal.doctor;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A finding of the doctor.
 *
 * @param check what was examined
 * @param level how serious it is
 * @param detail what was observed
 * @param remedy what to do, or null if there is nothing to do
 */
public record Diagnosis(String check, Level level, String detail, @Nullable String remedy) {

  /** The severity of a finding. */
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
