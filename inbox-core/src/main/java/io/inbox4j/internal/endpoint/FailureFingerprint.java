package io.inbox4j.internal.endpoint;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The fingerprint of a failure, by which equal failures are grouped: a hash of the classes of the
 * exception and its causes, and of the topmost frames of the application in the root cause.
 *
 * <p>It is stable across processes, hosts and most deployments: line numbers and messages are not
 * part of it, nor are the names that the JVM, the compiler and frameworks generate for lambdas,
 * anonymous classes and proxies. Frames of the JDK, of Inbox, of the database driver and of common
 * frameworks are skipped, because they are the same for different failures, and so is everything
 * below the call of the handler. A stack overflow has no frames, because they depend on where it
 * was noticed.
 */
final class FailureFingerprint {

  private static final int MAX_CAUSES = 10;
  private static final int FRAMES = 5;
  private static final int MAX_FRAMES_SEEN = 1_000;
  private static final int BYTES = 8;

  /** What calls handlers: frames below it depend on the thread that a handler runs on. */
  private static final String ENGINE = "io.inbox4j.internal.";

  private static final List<String> SKIPPED =
      List.of(
          "java.",
          "javax.",
          "jakarta.",
          "jdk.",
          "sun.",
          "com.sun.",
          "kotlin.",
          "scala.",
          "groovy.",
          "org.codehaus.groovy.",
          ENGINE,
          "io.inbox4j.format.",
          "io.inbox4j.jdbi.internal.",
          "org.jdbi.",
          "org.postgresql.",
          "com.zaxxer.hikari.",
          "tools.jackson.",
          "com.fasterxml.jackson.",
          "org.springframework.",
          "net.bytebuddy.",
          "io.micrometer.",
          "io.opentelemetry.");

  /** Everything from the first part of a class name that was generated. */
  private static final Pattern GENERATED =
      Pattern.compile("(\\$\\$|\\$(ByteBuddy|HibernateProxy|Proxy|MockitoMock)|/0x).*");

  /** The counters in the names of anonymous classes and lambdas. */
  private static final Pattern COUNTER = Pattern.compile("\\$\\d+");

  private FailureFingerprint() {}

  /** The fingerprint of a {@link FailureText#readable readable} failure. */
  static String of(Throwable failure) {
    try {
      return hash(text(failure));
    } catch (Throwable e) { // from an exception class that is not ours
      return hash(className(failure.getClass().getName()));
    }
  }

  private static String text(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable root = failure;
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
      text.append(className(cause.getClass().getName())).append('\n');
      root = cause;
    }
    if (!(root instanceof StackOverflowError)) {
      text.append(frames(root));
    }
    return text.toString();
  }

  /** A class name without its generated parts. */
  static String className(String name) {
    return COUNTER.matcher(GENERATED.matcher(name).replaceFirst("")).replaceAll("\\$");
  }

  private static String frames(Throwable root) {
    return Arrays.stream(root.getStackTrace())
        .limit(MAX_FRAMES_SEEN)
        .dropWhile(FailureFingerprint::isSkipped)
        .takeWhile(frame -> !frame.getClassName().startsWith(ENGINE))
        .filter(frame -> !isSkipped(frame))
        .map(
            frame ->
                className(frame.getClassName())
                    + '.'
                    + COUNTER.matcher(frame.getMethodName()).replaceAll("\\$"))
        .filter(frame -> !frame.startsWith("."))
        .distinct()
        .limit(FRAMES)
        .collect(Collectors.joining("\n"));
  }

  private static boolean isSkipped(StackTraceElement frame) {
    return SKIPPED.stream().anyMatch(frame.getClassName()::startsWith);
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
