package io.inbox4j.listener;

import java.util.Map;
import java.util.Set;

/** What a listener can ask the inbox that it listens to. Thread-safe. */
public interface ObservedInbox {

  /** The subscribed queues, each with the names of the event types that it knows. */
  Map<String, Set<String>> types();

  /** What is waiting to be handled by any process; cheap enough to ask every few seconds. */
  Backlog backlog(String queue);

  /** The current health, component by component. */
  Health health();
}
