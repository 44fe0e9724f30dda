package io.inbox4j.jdbi.internal.retain;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The privileges of the retention job's role; a missing one that it needs is logged once. */
final class RetentionRights {

  private static final Logger log = LoggerFactory.getLogger(RetentionRights.class);

  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** Whether it may create and drop partitions. */
  boolean ownsTables(Handle handle) {
    boolean may = ask(handle, RetentionSql.IS_OWNER);
    if (!may && told.add(RetentionSql.IS_OWNER)) {
      log.info(
          "This role does not own {}, so old rows are removed one by one; run as its owner, the"
              + " retention job would create a partition a day and drop it as a whole",
          RetentionRun.PROCESSED);
    }
    return may;
  }

  /** Whether it may clear the bodies of messages. */
  boolean mayEmpty(Handle handle) {
    boolean may = ask(handle, RetentionSql.MAY_EMPTY);
    if (!may && told.add(RetentionSql.MAY_EMPTY)) {
      log.warn(
          "This role may not take bodies from messages, so they are kept whole for their dedup"
              + " window; GRANT UPDATE (body, headers, emptied) ON inbox_messages lets it");
    }
    return may;
  }

  /** Whether it may delete the history of interventions. */
  boolean mayForget(Handle handle) {
    boolean may = ask(handle, RetentionSql.MAY_FORGET);
    if (!may && told.add(RetentionSql.MAY_FORGET)) {
      log.warn(
          "This role may not delete who replayed and discarded what, so that is kept; GRANT DELETE"
              + " ON inbox_interventions lets it");
    }
    return may;
  }

  private static boolean ask(Handle handle, String question) {
    return handle.createQuery(question).mapTo(Boolean.class).one();
  }
}
