package io.inbox4j.cli.application;

import io.inbox4j.InboxBuilder;

/**
 * What a service adds to the worker program: its subscriptions and handlers.
 *
 * <p>It is found by the service loader: its class is public, has a public no-argument constructor,
 * and is named in {@code META-INF/services/io.inbox4j.cli.application.InboxApplication}.
 */
public interface InboxApplication {

  /**
   * Subscribes queues, and sets whatever the service itself decides. The program provides the
   * store, the transport and the metrics; its options override what is set here.
   */
  void configure(InboxBuilder inbox);
}
