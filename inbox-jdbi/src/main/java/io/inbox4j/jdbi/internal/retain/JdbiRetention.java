package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.operations.RetentionReport;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Runs the retention job, in one process at a time. */
public final class JdbiRetention {

  private final Jdbi jdbi;
  private final RetentionRights rights = new RetentionRights();

  public JdbiRetention(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Uses a single connection for the whole run. */
  public RetentionReport run(RetentionPolicies policies, Predicate<RetentionReport> goOn) {
    RetentionLease lease = new RetentionLease();
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
