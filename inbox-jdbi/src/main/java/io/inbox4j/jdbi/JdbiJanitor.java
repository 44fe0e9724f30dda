package io.inbox4j.jdbi;

import io.inbox4j.InboxException;
import io.inbox4j.operations.RetentionReport;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Lets one janitor of all processes do a round. */
final class JdbiJanitor {

  private final Jdbi jdbi;
  private final JanitorRights rights = new JanitorRights();

  JdbiJanitor(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Uses one connection for all. */
  RetentionReport run(RetentionPolicies policies, Predicate<RetentionReport> goOn) {
    JanitorLease lease = new JanitorLease();
    try (Handle handle = jdbi.open()) {
      if (JoinedTransaction.isOn(handle.getConnection())) {
        throw new InboxException(
            "old messages are removed in many short transactions, and this was called inside a"
                + " transaction of the caller's; call it outside of it");
      }
      if (!lease.take(handle)) {
        return RetentionReport.elsewhere();
      }
      return new Round(handle, lease, policies, rights, goOn).run();
    } finally {
      lease.release(jdbi);
    }
  }
}
