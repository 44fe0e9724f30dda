package io.inbox4j.jdbi.internal.sql;

/** The statements that send notifications, and listen to them. */
public final class NotifySql {

  private NotifySql() {}

  /** Does not wait until the commit is durable: a crash ends the listening sessions, too. */
  public static final String NOTIFY =
      """
      SELECT set_config('synchronous_commit', 'off', true), pg_notify('{channel}', notification)::text
      FROM unnest(:notifications) AS notification
      """;

  /** In a transaction that would fail if the server's queue were full. */
  public static final String NOTIFY_UNLESS_FULL =
      "SELECT pg_notify('{channel}', ?)::text WHERE pg_notification_queue_usage() < 0.9";

  /**
   * Makes the server drop notifications that every listener has read. Once the queue is full, the
   * server does so only for a session that asks this.
   */
  public static final String DROP_HEARD = "SELECT pg_notification_queue_usage()::text";

  public static final String NOTIFY_CHANNEL = "SELECT pg_notify(:channel, '')::text";
  public static final String SESSION = "SELECT pg_backend_pid()";
  public static final String LISTEN = "LISTEN \"{channel}\"";
  public static final String UNLISTEN = "UNLISTEN \"{channel}\"";
}
