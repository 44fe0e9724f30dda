package io.inbox4j.cli.application;

import io.inbox4j.InboxBuilder;

/**
 * What a service adds to the worker program: its subscriptions and handlers.
 *
 * <p>It is found as a service: its class is public, has a public constructor without arguments, and
 * is named in {@code META-INF/services/io.inbox4j.cli.application.InboxApplication}.
 */
public interface InboxApplication {

  /**
   * Subscribes queues, and sets whatever the service decides by itself. The store, the transport
   * and the metrics are the program's; what is set by its options wins over what is set here.
   */
  void configure(InboxBuilder inbox);
}
