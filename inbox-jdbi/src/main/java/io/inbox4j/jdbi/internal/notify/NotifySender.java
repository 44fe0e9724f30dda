package io.inbox4j.jdbi.internal.notify;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.WorkStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells workers that messages were stored: workers in this process at once, others by a NOTIFY that
 * is part of the storing transaction.
 *
 * <p>A notification wakes every listening process, this one included, and costs as much as storing
 * a message or two. So if this process has workers, which are the first to pick up what it stored,
 * others are notified about an endpoint only every few milliseconds: a transaction that comes
 * sooner carries no notification, and if no later one does, a notification is sent separately.
 */
public final class NotifySender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(NotifySender.class);

  private static final Duration APART = Duration.ofMillis(10);

  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final ListenConnection listening;
  private final boolean notify;
  private final long apart;
  private final String self = UUID.randomUUID().toString().substring(0, 8);
  private final List<Consumer<String>> here = new CopyOnWriteArrayList<>();
  private final Map<String, Elsewhere> elsewhere = new ConcurrentHashMap<>();
  private volatile boolean refused;
  private final ScheduledThreadPoolExecutor late =
      new ScheduledThreadPoolExecutor(
          1, NotifySender::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /**
   * @param notify whether to notify other processes and to listen to them
   * @param listening the connection to listen on
   */
  public NotifySender(Jdbi jdbi, boolean notify, ListenConnection listening) {
    this(jdbi, notify, listening, APART);
  }

  /**
   * @param apart the minimum interval between notifications to others while this process has
   *     workers
   */
  public NotifySender(Jdbi jdbi, boolean notify, ListenConnection listening, Duration apart) {
    this.jdbi = jdbi;
    this.listening = listening;
    this.notify = notify;
    this.apart = apart.toNanos();
    late.setKeepAliveTime(1, TimeUnit.SECONDS);
    late.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "inbox-announcements");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the announcement for a transaction that may store messages of the endpoint. */
  public Announcement of(String endpoint) {
    return new Announcement(endpoint);
  }

  /** The notification payload if workers in this process must receive it too; null for none. */
  public @Nullable String toEverybody(String endpoint) {
    return notify && !refused ? NotifyListener.TO_EVERYBODY + " " + endpoint : null;
  }

  /**
   * Reports that a transaction could not be committed because of its notification. Messages are
   * stored without notifications until one that is sent separately gets through.
   */
  public void refused(Exception why) {
    if (!refused) {
      log.warn(
          "The database takes no more notifications, because a session that listens does not hear"
              + " them; messages are stored without, and other processes find them when they poll:"
              + " {}",
          why.getMessage());
    }
    refused = true;
  }

  public WorkStore.Watch watch(Consumer<String> stored, Runnable missed) {
    WorkStore.Watch others =
        notify ? NotifyListener.start(listening, self, stored, missed) : () -> {};
    here.add(stored);
    return () -> {
      here.remove(stored);
      others.close();
    };
  }

  /** Sends outstanding notifications, if that is possible within a short time. */
  @Override
  public void close() {
    late.shutdown();
    try {
      if (!late.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        late.shutdownNow();
      }
    } catch (InterruptedException e) {
      late.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** The announcement of one transaction. */
  public final class Announcement {

    private final String endpoint;
    private final Elsewhere others;
    private long asked;
    private boolean wasAsked;
    private boolean goesAlong;
    private boolean wentAlong;
    private boolean committedByCaller;

    private Announcement(String endpoint) {
      this.endpoint = endpoint;
      this.others = elsewhere.computeIfAbsent(endpoint, Elsewhere::new);
    }

    /** The caller commits, later: workers in this process will hear about it the way others do. */
    public void isCommittedByCaller() {
      committedByCaller = true;
    }

    /** The notification that a statement storing events is to send, or null for none. */
    public @Nullable String notification() {
      if (committedByCaller) {
        return toEverybody(endpoint);
      }
      if (notify && !goesAlong) {
        asked = System.nanoTime();
        wasAsked = true;
        goesAlong = !refused && (here.isEmpty() || others.isDue(asked));
      }
      return goesAlong ? self + " " + endpoint : null;
    }

    /** Whether a statement was given a notification to send. */
    public boolean goesAlong() {
      return goesAlong;
    }

    /** The statement stored something, and so sent its notification if it had one. */
    public void stored() {
      wentAlong |= goesAlong;
    }

    /**
     * Must be called after the commit. If nothing was stored, the events existed already, possibly
     * from an attempt that was to notify others later and could not.
     */
    public void committed() {
      if (committedByCaller) {
        return;
      }
      try {
        here.forEach(it -> it.accept(endpoint));
        if (wentAlong) {
          others.told(asked);
        } else if (wasAsked) {
          others.owe();
        }
      } catch (Throwable e) { // the commit stands: workers find it by polling
        log.warn("Workers are not told of what {} has: {}", endpoint, LoggedFailure.summary(e));
      }
    }
  }

  /** What other processes know about an endpoint. */
  private final class Elsewhere {

    private final String endpoint;
    private long promised = System.nanoTime() - apart;
    private long told = promised;
    private long owedSince = promised;
    private long owed = promised;
    private @Nullable Future<?> nextLook;

    private Elsewhere(String endpoint) {
      this.endpoint = endpoint;
    }

    /** Whether a notification is due; if so, it counts as sent. */
    synchronized boolean isDue(long now) {
      boolean due = now - promised >= apart;
      promised = due ? now : promised;
      return due;
    }

    /**
     * Others know about everything committed up to this time; only later commits are still owed.
     */
    synchronized void told(long time) {
      told = later(told, time);
      owedSince = later(owedSince, time);
    }

    /** Others do not know about what was just committed. */
    synchronized void owe() {
      long now = System.nanoTime();
      owedSince = isOwing() ? owedSince : now;
      owed = now;
      if (nextLook == null) {
        lookIn(apart);
      }
    }

    private boolean isOwing() {
      return owed - told > 0;
    }

    private synchronized void lookIn(long nanos) {
      nextLook = late.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
      long now = System.nanoTime();
      if (isLate(now)) {
        try {
          jdbi.useHandle(this::notifyOthers);
          refused = false;
          told(now);
        } catch (Throwable e) { // still owed, so it is tried again
          log.debug(
              "Others find what {} has when they poll, or are told in {}: {}",
              endpoint,
              BACKOFF,
              e instanceof Exception x ? SqlErrors.translated(x).getMessage() : e.toString());
          lookIn(BACKOFF.toNanos());
        }
      }
    }

    private void notifyOthers(Handle handle) {
      if (refused) {
        handle.createQuery(Sql.DROP_HEARD).mapTo(String.class).list();
      }
      handle
          .createQuery(Sql.NOTIFY)
          .bind("notification", self + " " + endpoint)
          .mapTo(String.class)
          .list();
    }

    /**
     * Whether a notification has been owed long enough to send it; if not yet, checks again later.
     */
    private synchronized boolean isLate(long now) {
      nextLook = null;
      if (!isOwing()) {
        return false;
      }
      long wait = owedSince + apart - now;
      if (wait > 0 && !late.isShutdown()) {
        lookIn(wait);
        return false;
      }
      return true;
    }

    private static long later(long one, long other) {
      return one - other > 0 ? one : other;
    }
  }
}
