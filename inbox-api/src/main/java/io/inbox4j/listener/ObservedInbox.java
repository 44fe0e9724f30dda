package io.inbox4j.listener;

import java.util.Map;
import java.util.Set;

/** The view of an inbox that its listeners can query. Thread-safe. */
public interface ObservedInbox {

  /** The subscribed queues, each with the names of its event types. */
  Map<String, Set<String>> types();

  /** What is waiting to be handled by any process; cheap enough to query every few seconds. */
  Backlog backlog(String queue);

  /** The current health, component by component. */
  Health health();
}
