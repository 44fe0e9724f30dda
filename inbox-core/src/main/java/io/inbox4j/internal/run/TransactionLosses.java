package io.inbox4j.internal.run;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts how many times in a row a message was alone when its transaction was lost although the
 * database answers other connections: then the database is not to blame, and in the end the message
 * is.
 */
public final class TransactionLosses {

  /** How many losses use up an attempt. */
  public static final int PER_ATTEMPT = 3;

  private static final int MAX_REMEMBERED = 1_000;

  private final String endpoint;
  private final InboxStore store;
  private final Map<Long, Integer> times = new LinkedHashMap<>();

  public TransactionLosses(String endpoint, InboxStore store) {
    this.endpoint = endpoint;
    this.store = store;
  }

  /**
   * Records that a message was alone when its transaction was lost.
   *
   * @return how many times in a row that has happened; 0 if the database does not answer
   */
  public int add(long sequence) {
    boolean answers = databaseAnswers(sequence);
    synchronized (times) {
      if (!answers) {
        times.remove(sequence);
        return 0;
      }
      int now = times.merge(sequence, 1, Integer::sum);
      if (times.size() > MAX_REMEMBERED) {
        Iterator<Long> oldest = times.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
      return now;
    }
  }

  /** Resets the count of messages that got an outcome. */
  public void forget(List<HandledMessage> ended) {
    synchronized (times) {
      if (!times.isEmpty()) {
        ended.forEach(result -> times.remove(result.message().sequence()));
      }
    }
  }

  /** Whether another connection can claim messages, which a read-only server rejects. */
  private boolean databaseAnswers(long sequence) {
    try (WorkTransaction transaction = store.begin(endpoint)) {
      transaction.reclaim(List.of(sequence));
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }
}
