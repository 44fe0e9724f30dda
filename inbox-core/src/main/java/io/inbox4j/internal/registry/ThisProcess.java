package io.inbox4j.internal.registry;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Properties;

/** What the operating system and the class path say about this process. */
public final class ThisProcess {

  private static final String UNKNOWN = "unknown";
  private static final String ARTIFACT = "/META-INF/maven/io.inbox4j/inbox-core/pom.properties";

  static final String HOST = host();
  static final long PID = ProcessHandle.current().pid();

  /** The version of the library, as its jar says; a build that is no release may not know it. */
  static final String VERSION = version();

  private ThisProcess() {}

  /** The name of a process that was given none, such as {@code web-1-4711}. */
  public static String defaultName() {
    return HOST + "-" + PID;
  }

  private static String host() {
    String host = System.getenv("HOSTNAME");
    if (host != null && !host.isBlank()) {
      return host;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return UNKNOWN;
    }
  }

  private static String version() {
    try (InputStream in = ThisProcess.class.getResourceAsStream(ARTIFACT)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", UNKNOWN);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }
}
