package io.inbox4j.jdbi.internal.notify;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.sql.NotifySql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.WorkStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells workers that messages were stored: workers in this process at once, others by a NOTIFY.
 *
 * <p>A transaction that notifies holds a lock of the whole database while it commits, and fails if
 * the server's queue of notifications is full. So those that store messages do not; a thread sends
 * the notifications after the commits, for all endpoints together and a few milliseconds apart: not
 * so few if this process has workers, which are the first to pick up what it stored.
 */
public final class NotifySender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(NotifySender.class);
  private static final Duration APART = Duration.ofMillis(10);
  private static final int OFTENER_WITHOUT_WORKERS = 5;
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration APART_IN_TRANSACTIONS = Duration.ofMillis(500);

  /**
   * Stands for the outbox where otherwise the name of an endpoint is. No endpoint has an empty one,
   * and processes of earlier versions ignore those that they do not know.
   */
  private static final String OUTBOX = "";

  private final Jdbi jdbi;
  private final ListenConnection listening;
  private final boolean notify;
  private final Duration apart;
  private final String self = UUID.randomUUID().toString().substring(0, 8);
  private final List<Watcher> here = new CopyOnWriteArrayList<>();
  private final Object listenerLock = new Object();
  private @Nullable NotifyListener listener;

  /** The endpoints that other processes have to be told of. */
  private final Set<String> owed = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean sending = new AtomicBoolean();
  private volatile boolean refused;
  private final AtomicLong notifiedInTransaction =
      new AtomicLong(System.nanoTime() - APART_IN_TRANSACTIONS.toNanos());
  private final ScheduledThreadPoolExecutor sender =
      new ScheduledThreadPoolExecutor(
          1, NotifySender::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /** Somebody in this process; not a record, because two may be the same. */
  private static final class Watcher {

    private final Consumer<String> stored;
    private final Runnable missed;

    private Watcher(Consumer<String> stored, Runnable missed) {
      this.stored = stored;
      this.missed = missed;
    }
  }

  /**
   * @param notify whether to notify other processes and to listen to them
   * @param listening the connection to listen on
   */
  public NotifySender(Jdbi jdbi, boolean notify, ListenConnection listening) {
    this(jdbi, notify, listening, APART);
  }

  /**
   * @param apart the minimum interval between notifications while this process has workers
   */
  public NotifySender(Jdbi jdbi, boolean notify, ListenConnection listening, Duration apart) {
    this.jdbi = jdbi;
    this.listening = listening;
    this.notify = notify;
    this.apart = apart;
    sender.setKeepAliveTime(1, TimeUnit.SECONDS);
    sender.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "inbox-notify");
    thread.setDaemon(true);
    return thread;
  }

  public WorkStore.Watch watch(Consumer<String> stored, Runnable missed) {
    return start(
        endpoint -> {
          if (!endpoint.equals(OUTBOX)) {
            stored.accept(endpoint);
          }
        },
        missed);
  }

  /** Calls back when outgoing messages were stored. */
  public WorkStore.Watch watchOutbox(Runnable stored) {
    return start(
        name -> {
          if (name.equals(OUTBOX)) {
            stored.run();
          }
        },
        stored);
  }

  /** All watches listen on one connection. One that comes later may have missed something. */
  private WorkStore.Watch start(Consumer<String> stored, Runnable missed) {
    Watcher watcher = new Watcher(stored, missed);
    boolean first;
    synchronized (listenerLock) {
      here.add(watcher);
      first = listener == null;
      if (first && notify) {
        listener =
            NotifyListener.start(
                listening, self, this::tellHere, () -> here.forEach(it -> it.missed.run()));
      }
    }
    if (!first) {
      missed.run();
    }
    return () -> stop(watcher);
  }

  private void stop(Watcher watcher) {
    NotifyListener last = null;
    synchronized (listenerLock) {
      here.remove(watcher);
      if (here.isEmpty()) {
        last = listener;
        listener = null;
      }
    }
    if (last != null) {
      last.close();
    }
  }

  private void tellHere(String name) {
    here.forEach(it -> it.stored.accept(name));
  }

  /**
   * The notification that a statement on this connection has to send itself, or null: in a
   * transaction that the caller commits, it tells workers everywhere, in this process too.
   */
  public @Nullable String inTransaction(Connection connection, String endpoint) {
    return JoinedTransaction.isOn(connection) ? toEverybody(endpoint) : null;
  }

  /** The notification payload if workers in this process must receive it too; null for none. */
  public @Nullable String toEverybody(String endpoint) {
    return notify && !refused ? NotifyListener.TO_EVERYBODY + " " + endpoint : null;
  }

  /**
   * Must be called after outgoing messages were stored in a transaction that the caller commits. It
   * wakes who sends in this process: too early, but who sends looks again.
   *
   * @return the notification that the transaction has to send, or null if one was sent a moment ago
   */
  public @Nullable String publishedInTransaction() {
    try {
      tellHere(OUTBOX);
    } catch (Throwable e) {
      log.warn("The outbox is not told of what it has: {}", LoggedFailure.summary(e));
    }
    long now = System.nanoTime();
    long last = notifiedInTransaction.get();
    return now - last >= APART_IN_TRANSACTIONS.toNanos()
            && notifiedInTransaction.compareAndSet(last, now)
        ? toEverybody(OUTBOX)
        : null;
  }

  /** Must be called after a commit that left messages to be sent. */
  public void published(Connection connection) {
    committed(connection, OUTBOX);
  }

  /** Must be called after a commit that left messages to be handled. */
  public void committed(Connection connection, String endpoint) {
    if (JoinedTransaction.isOn(connection)) {
      return; // not committed yet
    }
    try {
      tellHere(endpoint);
      if (notify) {
        owed.add(endpoint);
        sendUnlessSending();
      }
    } catch (Throwable e) { // out of threads, say; the commit stands: workers find it by polling
      sending.set(false);
      log.warn(
          "Workers are not told of what {} has: {}",
          endpoint.equals(OUTBOX) ? "the outbox" : endpoint,
          LoggedFailure.summary(e));
    }
  }

  private void sendUnlessSending() {
    if (!owed.isEmpty() && sending.compareAndSet(false, true)) {
      sender.execute(this::send);
    }
  }

  /** Sends what is owed, and again a moment later, until nothing is. */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing is thrown that matters
  private void send() {
    Set<String> endpoints = Set.copyOf(owed);
    if (endpoints.isEmpty()) {
      sending.set(false);
      sendUnlessSending(); // for what was added just before
      return;
    }
    owed.removeAll(endpoints); // what is committed from now on is owed again
    Duration pause = here.isEmpty() ? apart.dividedBy(OFTENER_WITHOUT_WORKERS) : apart;
    try {
      jdbi.useHandle(handle -> notifyOthers(handle, endpoints));
      refused = false;
    } catch (Throwable e) {
      owed.addAll(endpoints);
      pause = BACKOFF;
      failed(endpoints, e);
    }
    if (!sender.isShutdown()) {
      sender.schedule(this::send, pause.toNanos(), TimeUnit.NANOSECONDS);
    } else if (!pause.equals(BACKOFF)) {
      send(); // what became owed meanwhile; nothing is scheduled any more
    }
  }

  private void notifyOthers(Handle handle, Set<String> endpoints) {
    if (refused) {
      handle.createQuery(NotifySql.DROP_HEARD).mapTo(String.class).list();
    }
    handle
        .createQuery(NotifySql.NOTIFY)
        .bind("notifications", PgArray.texts(List.copyOf(endpoints), it -> self + " " + it))
        .mapTo(String.class)
        .list();
  }

  private void failed(Set<String> endpoints, Throwable e) {
    String why = e instanceof Exception x ? SqlErrors.translated(x).getMessage() : e.toString();
    if (SqlErrors.isLimit(e) && !refused) {
      refused = true;
      log.warn(
          "The database takes no more notifications, because a session that listens does not hear"
              + " them; messages are stored all the same, and other processes find them when they"
              + " poll: {}",
          why);
    } else {
      log.debug(
          "Others find what {} have when they poll, or are told in {}: {}",
          endpoints,
          BACKOFF,
          why);
    }
  }

  /** Sends outstanding notifications, if that is possible within a short time. */
  @Override
  public void close() {
    sender.shutdown();
    try {
      if (!sender.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        sender.shutdownNow();
      }
    } catch (InterruptedException e) {
      sender.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
