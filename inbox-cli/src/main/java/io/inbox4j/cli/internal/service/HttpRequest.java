package io.inbox4j.cli.internal.service;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request.
 *
 * @param method {@code GET} or another
 * @param path the path without the query
 */
record HttpRequest(String method, String path) {

  private static final int MAX_HEAD = 8 << 10;
  private static final int END_OF_HEAD = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';
  private static final Pattern FIRST_LINE =
      Pattern.compile("([A-Z]{1,20}) (?:http://[^/ ?]*)?(/[^ ?]*)(?:\\?[^ ]*)? HTTP/1\\.[01]");

  boolean isHead() {
    return method.equals("HEAD");
  }

  boolean isRead() {
    return isHead() || method.equals("GET");
  }

  /** Reads a request up to the end of its head; null if it is malformed or its head is too long. */
  static @Nullable HttpRequest read(InputStream from) throws IOException {
    InputStream in = new BufferedInputStream(from, MAX_HEAD);
    StringBuilder head = new StringBuilder();
    int last = 0;
    while (last != END_OF_HEAD) {
      int next = head.length() == MAX_HEAD ? -1 : in.read();
      if (next < 0) {
        return null;
      }
      head.append((char) next);
      last = last << 8 | next;
    }
    Matcher line = FIRST_LINE.matcher(head.substring(0, head.indexOf("\r\n")));
    return line.matches() ? new HttpRequest(line.group(1), line.group(2)) : null;
  }
}
