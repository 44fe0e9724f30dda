package io.inbox4j.examples.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that warnings go to, so that they do not disturb what the demo shows. */
final class DemoLog {

  /** The system property that {@code logback.xml} reads. */
  static final String PROPERTY = "inbox.log";

  private DemoLog() {}

  static Path file() {
    return Path.of(
        System.getProperty("java.io.tmpdir"),
        "inbox-demo-%s.log".formatted(System.getProperty("user.name")));
  }

  /** Begins a new file; to be called before anything logs. */
  static void begin() throws IOException {
    Files.deleteIfExists(file());
    System.setProperty(PROPERTY, file().toString());
  }
}
