package io.inbox4j.reliability.chaos;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Follows what a client and PostgreSQL say to each other, to know when a transaction that may have
 * written something is committed: by a COMMIT, or at the end of a single statement.
 */
final class Commits {

  private static final int PARSE = 'P';
  private static final int BIND = 'B';
  private static final int COMMAND_COMPLETE = 'C';
  private static final int ERROR = 'E';
  private static final int READY = 'Z';
  private static final byte OUTSIDE_A_TRANSACTION = 'I';

  private final Set<String> inserts = ConcurrentHashMap.newKeySet();
  private volatile boolean written;
  private boolean failed;

  /** The client says this. */
  void asked(int type, byte[] content) {
    if (type == PARSE) {
      String name = text(content, 0);
      if (text(content, name.length() + 1).contains("INSERT INTO")) {
        inserts.add(name);
      } else {
        inserts.remove(name);
      }
    } else if (type == BIND) {
      String portal = text(content, 0);
      written |= inserts.contains(text(content, portal.length() + 1));
    }
  }

  /** The server says this; returns whether it is the end of the answer to a commit. */
  boolean isCommitted(int type, byte[] content) {
    if (type == ERROR) {
      failed = true;
    } else if (type == COMMAND_COMPLETE) {
      String tag = text(content, 0);
      written |= tag.equals("COMMIT");
      failed |= tag.equals("ROLLBACK");
    } else if (type == READY && content[0] == OUTSIDE_A_TRANSACTION) {
      boolean committed = written && !failed;
      written = false;
      failed = false;
      return committed;
    }
    return false;
  }

  private static String text(byte[] content, int from) {
    int end = from;
    while (content[end] != 0) {
      end++;
    }
    return new String(content, from, end - from, StandardCharsets.UTF_8);
  }
}
