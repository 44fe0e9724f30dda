package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.operations.RetentionReport;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Lets one janitor of all processes do a round. */
public final class JdbiRetention {

  private final Jdbi jdbi;
  private final RetentionRights rights = new RetentionRights();

  public JdbiRetention(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Uses one connection for all. */
  public RetentionReport run(RetentionPolicies policies, Predicate<RetentionReport> goOn) {
    RetentionLock lease = new RetentionLock();
    try (Handle handle = jdbi.open()) {
      if (JoinedTransaction.isOn(handle.getConnection())) {
        throw new InboxException(
            "old messages are removed in many short transactions, and this was called inside a"
                + " transaction of the caller's; call it outside of it");
      }
      if (!lease.take(handle)) {
        return RetentionReport.elsewhere();
      }
      return new RetentionRun(handle, lease, policies, rights, goOn).run();
    } finally {
      lease.release(jdbi);
    }
  }
}
