package io.inbox4j.memory;

import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreStatus;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An {@link InboxStore} in memory, for tests: nothing survives the process.
 *
 * <p>It fulfils the same contract as a store on a database. Handlers record their effects with
 * {@code context.unwrap(InMemoryTransaction.class)}; {@link #effects} returns those that were
 * committed. What they hand over with {@code context.write} is not executed: its text, followed by
 * its arguments, is an effect like the others. Several stores can share their data, as several
 * processes share a database: see {@link #sibling}.
 */
public final class InMemoryInboxStore implements InboxStore {

  private final MemoryTables tables;

  private InMemoryInboxStore(MemoryTables tables) {
    this.tables = tables;
  }

  /** Creates an empty store on the system's clock. */
  public static InMemoryInboxStore create() {
    return create(Clock.systemUTC());
  }

  /** Creates an empty store on this clock, which a test can move. */
  public static InMemoryInboxStore create(Clock clock) {
    return new InMemoryInboxStore(new MemoryTables(clock));
  }

  /** Another store on the same data, as another process would have it. */
  public InMemoryInboxStore sibling() {
    return new InMemoryInboxStore(tables);
  }

  /** The committed effects of handlers, in the order of their commits. */
  public List<String> effects() {
    return tables.locked(() -> List.copyOf(tables.effects));
  }

  /** What became of every message that is still known, in arrival order. */
  public List<InMemoryMessage> messages() {
    return tables.locked(() -> new MemoryStatus(tables).messages());
  }

  /**
   * Crashes: open transactions are lost, and until {@link #restart} every call fails with a {@link
   * StoreUnavailableException}, also those of siblings.
   */
  public void crash() {
    tables.down(true);
  }

  /** Ends a {@link #crash}; what was committed is still there. */
  public void restart() {
    tables.down(false);
  }

  @Override
  public void open() {
    tables.locked(() -> true);
  }

  @Override
  public List<StoreResult> receive(String endpoint, List<ValidatedDelivery> batch) {
    try (WorkTransaction transaction = begin(endpoint)) {
      List<StoreResult> results = transaction.receive(batch);
      transaction.commit(List.of());
      return results;
    }
  }

  @Override
  public WorkTransaction begin(String endpoint) {
    return tables.locked(() -> new MemoryWorkTransaction(endpoint, tables));
  }

  @Override
  public FailureKind failureKind(Throwable failure) {
    if (failure instanceof AbortedTransactionException) {
      return FailureKind.ABORTED;
    }
    return failure instanceof StoreUnavailableException
        ? FailureKind.INFRASTRUCTURE
        : FailureKind.MESSAGE;
  }

  @Override
  public Watch watch(Consumer<String> stored, Runnable missed) {
    tables.watchers.add(stored);
    return () -> tables.watchers.remove(stored);
  }

  @Override
  public boolean markCrashRiskAlone(long sequence, Duration holdBack) {
    return tables.locked(
        () -> {
          Instant now = tables.now();
          PendingRow row = tables.pending.get(sequence);
          if (row == null || !row.isDue(now) || tables.isClaimed(sequence)) {
            return false;
          }
          PendingRow marked = row.atRisk(now.plus(holdBack));
          tables.pending.put(sequence, marked);
          if (marked.crashes() > 2) {
            int attempt = marked.attempts() + marked.crashes() - 2;
            tables.failed(sequence, attempt, AttemptFailure.crash(AttemptFailure.DIED), now);
          }
          return true;
        });
  }

  @Override
  public void clearCrashRisk(List<Long> sequences) {
    inTransaction(
        transaction -> {
          transaction.clearCrashRisk(sequences);
          return true;
        });
  }

  @Override
  public Set<Lease> renew(Collection<Lease> leases, Duration time) {
    return inTransaction(
        transaction -> {
          Set<Lease> held = transaction.claimLeased(leases);
          Instant until = tables.now().plus(time);
          held.forEach(
              lease -> transaction.changes.change(lease.sequence(), row -> row.due(until)));
          return held;
        });
  }

  @Override
  public void release(Collection<Lease> leases) {
    inTransaction(
        transaction -> {
          leases.forEach(lease -> tables.awaitUntil(() -> !tables.isClaimed(lease.sequence())));
          Instant now = tables.now();
          new HashSet<>(transaction.held(leases))
              .forEach(
                  lease -> transaction.changes.change(lease.sequence(), row -> row.released(now)));
          return true;
        });
  }

  private <T> T inTransaction(Function<MemoryWorkTransaction, T> work) {
    return tables.locked(
        () -> {
          try (MemoryWorkTransaction transaction = new MemoryWorkTransaction("", tables)) {
            T result = work.apply(transaction);
            transaction.commit(List.of());
            return result;
          }
        });
  }

  @Override
  public void pause(String endpoint, String by, String reason) {
    tables.locked(() -> tables.pauses.putIfAbsent(endpoint, new Pause(by, reason, tables.now())));
  }

  @Override
  public void resume(String endpoint) {
    if (tables.locked(() -> tables.pauses.remove(endpoint) != null)) {
      tables.announce(endpoint);
    }
  }

  @Override
  public @Nullable Pause pauseOf(String endpoint) {
    return tables.locked(() -> tables.pauses.get(endpoint));
  }

  @Override
  public StoreStatus status(Collection<String> endpoints, Duration timeout) {
    return tables.locked(() -> new MemoryStatus(tables).of(endpoints));
  }

  @Override
  public Set<String> dueAt(Collection<String> endpoints) {
    return tables.locked(() -> new MemoryStatus(tables).dueAt(endpoints));
  }

  @Override
  public Backlog backlog(String endpoint) {
    return tables.locked(() -> new MemoryStatus(tables).backlog(endpoint));
  }

  @Override
  public List<DeadMessage> listDead(MessageFilter filter, int limit) {
    return tables.locked(() -> new MemoryOperations(tables).listDead(filter, limit));
  }

  @Override
  public List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    List<DeadMessage> replayed =
        tables.locked(() -> new MemoryOperations(tables).replayDead(filter, by, after, limit));
    announce(replayed.stream().map(DeadMessage::endpoint).toList());
    return replayed;
  }

  @Override
  public List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    List<DeadMessage> discarded =
        tables.locked(() -> new MemoryOperations(tables).discardDead(filter, by, after, limit));
    announce(discarded.stream().map(DeadMessage::endpoint).toList());
    return discarded;
  }

  @Override
  public List<PendingMessage> listPending(MessageFilter filter, int limit) {
    return tables.locked(() -> new MemoryOperations(tables).listPending(filter, limit));
  }

  @Override
  public PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    PendingPage page =
        tables.locked(() -> new MemoryOperations(tables).expeditePending(filter, by, after, limit));
    announce(page.changed().stream().map(PendingMessage::endpoint).toList());
    return page;
  }

  @Override
  public PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    PendingPage page =
        tables.locked(() -> new MemoryOperations(tables).discardPending(filter, by, after, limit));
    announce(page.changed().stream().map(PendingMessage::endpoint).toList());
    return page;
  }

  private void announce(List<String> endpoints) {
    endpoints.stream().distinct().forEach(tables::announce);
  }

  @Override
  public List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit) {
    return tables.locked(() -> new MemoryQuarantine(tables).entries(filter, after, limit));
  }

  @Override
  public List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit) {
    return tables.locked(() -> new MemoryQuarantine(tables).list(filter, after, limit));
  }

  @Override
  public ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return readmit(it -> it.replay(filter, by, after, limit, check));
  }

  @Override
  public ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return readmit(it -> it.adopt(endpoint, types, by, after, limit, check));
  }

  private ReplayPage readmit(Function<MemoryQuarantine, ReplayPage> work) {
    MemoryQuarantine quarantine = new MemoryQuarantine(tables);
    ReplayPage page = tables.locked(() -> work.apply(quarantine));
    quarantine.told.forEach(tables::announce);
    return page;
  }

  @Override
  public List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit) {
    return tables.locked(() -> new MemoryQuarantine(tables).discard(filter, by, after, limit));
  }

  @Override
  public List<Intervention> interventions(
      Intervention.Origin origin, MessageFilter filter, int limit) {
    return tables.locked(() -> new MemoryOperations(tables).interventions(origin, filter, limit));
  }

  @Override
  public List<FailedAttempt> attempts(String endpoint, UUID messageId) {
    return tables.locked(
        () -> {
          StoredMessage message =
              tables.messages.get(new StoredMessage.Identity(endpoint, messageId));
          return message == null
              ? List.of()
              : List.copyOf(tables.attempts.getOrDefault(message.sequence(), List.of()));
        });
  }

  @Override
  public void register(ProcessInfo process, Duration uptime) {
    tables.locked(
        () -> {
          new MemoryProcesses(tables).register(process, uptime);
          return true;
        });
  }

  @Override
  public boolean heartbeat(UUID process) {
    return tables.locked(() -> new MemoryProcesses(tables).heartbeat(process));
  }

  @Override
  public void deregister(UUID process) {
    tables.locked(() -> tables.processes.remove(process));
  }

  @Override
  public List<RunningProcess> processes() {
    return tables.locked(() -> new MemoryProcesses(tables).running());
  }

  @Override
  public List<UnhandledType> unhandledTypes(Collection<String> endpoints) {
    return tables.locked(() -> new MemoryProcesses(tables).unhandled(endpoints));
  }

  @Override
  public void declareRetention(Collection<String> endpoints, Retention retention) {
    new MemoryRetention(tables).declare(endpoints, retention);
  }

  @Override
  public Map<String, Retention> declaredRetention() {
    return new MemoryRetention(tables).declared();
  }

  @Override
  public RetentionReport retain(Predicate<RetentionReport> goOn) {
    MemoryRetention run = new MemoryRetention(tables);
    return run.run(run::declared, goOn);
  }

  @Override
  public RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn) {
    if (retention.isForever()) {
      throw new IllegalArgumentException(
          "messages are kept forever; expected for example Retention.days(7)");
    }
    MemoryRetention run = new MemoryRetention(tables);
    return run.run(() -> run.requested(endpoints, retention, force), goOn);
  }

  /**
   * {@inheritDoc}
   *
   * @param transaction an {@link InMemoryTransaction}
   */
  @Override
  public void publish(Object transaction, List<StoredOutgoing> messages) {
    if (!(transaction instanceof InMemoryTransaction mine)) {
      throw new IllegalArgumentException(
          "%s is not what the in-memory store can publish in; expected %s"
              .formatted(transaction.getClass().getName(), InMemoryTransaction.class.getName()));
    }
    mine.publish(messages);
  }

  @Override
  public void publish(List<StoredOutgoing> messages) {
    try (WorkTransaction transaction = begin("")) {
      transaction.publish(messages);
      transaction.commit(List.of());
    }
  }

  @Override
  public boolean cancelScheduled(UUID messageId) {
    return tables.locked(() -> tables.outbox.cancel(messageId));
  }

  @Override
  public boolean reschedule(UUID messageId, Instant sendAt) {
    return tables.locked(() -> tables.outbox.reschedule(messageId, sendAt));
  }

  @Override
  public boolean leadRelay(UUID relay, Duration time) {
    return tables.locked(() -> tables.outbox.lead(relay, time, tables.now()));
  }

  @Override
  public void resignRelay(UUID relay) {
    tables.locked(
        () -> {
          tables.outbox.resign(relay);
          return true;
        });
  }

  @Override
  public OutboxReader openOutbox() {
    return new MemoryOutboxReader(tables);
  }

  @Override
  public OutboxStatus outboxStatus() {
    return tables.locked(() -> tables.outbox.status(tables.now()));
  }

  @Override
  public Watch watchOutbox(Runnable stored) {
    tables.outboxWatchers.add(stored);
    return () -> tables.outboxWatchers.remove(stored);
  }

  /** Does nothing: the data stays for the siblings. */
  @Override
  public void close() {}
}
