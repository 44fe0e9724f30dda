package io.inbox4j.jdbi;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets one janitor of all processes do a round. */
final class JdbiJanitor {

  private static final Logger log = LoggerFactory.getLogger(JdbiJanitor.class);
  private static final long LOCK = 0x52455441L << 32; // "RETA", in front of the oid

  private final Jdbi jdbi;
  private boolean toldThatNotOwner;

  JdbiJanitor(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** One connection is used for all, and holds the lock as long as it lives. */
  RetentionReport run(Retention retention, Predicate<RetentionReport> goOn) {
    try (Handle handle = jdbi.open()) {
      if (!ask(handle, RetentionSql.TRY_LOCK)) {
        return RetentionReport.elsewhere();
      }
      try {
        boolean owner = new Partitions(handle, Round.PROCESSED).areOurs();
        if (!owner) {
          tellThatNotOwner();
        }
        return new Round(handle, retention, owner, goOn).run();
      } finally {
        unlock(handle);
      }
    }
  }

  private static void unlock(Handle handle) {
    try {
      ask(handle, RetentionSql.UNLOCK);
    } catch (JdbiException e) {
      log.debug("The connection is lost, and the lock with it: {}", e.getMessage());
    }
  }

  private static boolean ask(Handle handle, String sql) {
    return handle.createQuery(sql).bind("lock", LOCK).mapTo(Boolean.class).one();
  }

  private synchronized void tellThatNotOwner() {
    if (!toldThatNotOwner) {
      toldThatNotOwner = true;
      log.info(
          "This role does not own {}, so old rows are removed one by one; run as its owner, the"
              + " janitor would create a partition a day and drop it as a whole",
          Round.PROCESSED);
    }
  }
}
