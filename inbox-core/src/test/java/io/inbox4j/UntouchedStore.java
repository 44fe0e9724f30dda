package io.inbox4j;

import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreStatus;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** A store that nothing may touch: putting an inbox together opens nothing. */
final class UntouchedStore implements InboxStore {

  private static AssertionError touched() {
    return new AssertionError("the store was touched");
  }

  @Override
  public void open() {
    throw touched();
  }

  @Override
  public List<StoreResult> receive(String endpoint, List<ValidatedDelivery> batch) {
    throw touched();
  }

  @Override
  public WorkTransaction begin(String endpoint) {
    throw touched();
  }

  @Override
  public boolean markCrashRiskAlone(long sequence, Duration holdBack) {
    throw touched();
  }

  @Override
  public void clearCrashRisk(List<Long> sequences) {
    throw touched();
  }

  @Override
  public Set<Lease> renew(Collection<Lease> leases, Duration time) {
    throw touched();
  }

  @Override
  public void release(Collection<Lease> leases) {
    throw touched();
  }

  @Override
  public void pause(String endpoint, String by, String reason) {
    throw touched();
  }

  @Override
  public void resume(String endpoint) {
    throw touched();
  }

  @Override
  public Pause pauseOf(String endpoint) {
    throw touched();
  }

  @Override
  public StoreStatus status(Collection<String> endpoints, Duration timeout) {
    throw touched();
  }

  @Override
  public Backlog backlog(String endpoint) {
    throw touched();
  }

  @Override
  public FailureKind failureKind(Throwable failure) {
    throw touched();
  }

  @Override
  public Watch watch(Consumer<String> stored, Runnable missed) {
    throw touched();
  }

  @Override
  public List<DeadMessage> listDead(MessageFilter filter, int limit) {
    throw touched();
  }

  @Override
  public List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    throw touched();
  }

  @Override
  public List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    throw touched();
  }

  @Override
  public List<PendingMessage> listPending(MessageFilter filter, int limit) {
    throw touched();
  }

  @Override
  public List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit) {
    throw touched();
  }

  @Override
  public PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    throw touched();
  }

  @Override
  public PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    throw touched();
  }

  @Override
  public ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    throw touched();
  }

  @Override
  public List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit) {
    throw touched();
  }

  @Override
  public ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    throw touched();
  }

  @Override
  public List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit) {
    throw touched();
  }

  @Override
  public List<Intervention> interventions(
      Intervention.Origin origin, MessageFilter filter, int limit) {
    throw touched();
  }

  @Override
  public List<FailedAttempt> attempts(String endpoint, UUID messageId) {
    throw touched();
  }

  @Override
  public void register(ProcessInfo process, Duration uptime) {
    throw touched();
  }

  @Override
  public boolean heartbeat(UUID process) {
    throw touched();
  }

  @Override
  public void deregister(UUID process) {
    throw touched();
  }

  @Override
  public List<RunningProcess> processes() {
    throw touched();
  }

  @Override
  public List<UnhandledType> unhandledTypes(Collection<String> endpoints) {
    throw touched();
  }

  @Override
  public void declareRetention(Collection<String> endpoints, Retention retention) {
    throw touched();
  }

  @Override
  public Map<String, Retention> declaredRetention() {
    throw touched();
  }

  @Override
  public RetentionReport retain(Predicate<RetentionReport> goOn) {
    throw touched();
  }

  @Override
  public RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn) {
    throw touched();
  }

  @Override
  public void close() {}
}
