package io.inbox4j;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.OperatorStore;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that could not be stored as events, and what operators can do with them.
 * Thread-safe.
 *
 * <p>Each replay and discard is recorded with the name of who did it: the operating system user, or
 * the name given to {@link #as}.
 */
public final class Quarantine {

  private static final int PAGE = 200;

  private final Operator operator;
  private final Map<String, DeliveryValidator> checks;

  /**
   * @param checks the validator of every endpoint
   */
  Quarantine(Operator operator, Map<String, DeliveryValidator> checks) {
    this.operator = operator;
    this.checks = Map.copyOf(checks);
  }

  /**
   * The quarantined deliveries in a store, for programs that operate on messages without
   * subscribing to their endpoints. Nothing can be replayed with it, because only an inbox knows
   * what a valid event is.
   */
  public static Quarantine in(OperatorStore store) {
    return new Quarantine(Operator.of(store), Map.of());
  }

  /**
   * Returns a copy that records interventions under this name.
   *
   * @throws IllegalArgumentException if it is blank or longer than 255 characters
   */
  public Quarantine as(String name) {
    return new Quarantine(operator.as(name), checks);
  }

  /** The first deliveries that match the filter, in arrival order, without their bodies. */
  public List<QuarantineEntry> entries(MessageFilter filter, int limit) {
    return operator.store().listQuarantineEntries(filter, 0, limit);
  }

  /**
   * The first deliveries that match the filter, in arrival order, with their bodies. The bodies
   * total at most 64 MiB, unless a single one is larger.
   */
  public List<QuarantinedMessage> list(MessageFilter filter, int limit) {
    return operator.store().listQuarantined(filter, 0, limit);
  }

  /**
   * Revalidates all deliveries that match the filter against the current configuration of this
   * inbox; those that pass leave the quarantine and are handled. The rest stay in quarantine.
   *
   * <p>It works in pages, one transaction of a few MiB each, and only on endpoints to which this
   * inbox subscribes. Deliveries that the database rejects stay in quarantine, too.
   *
   * @return how many left the quarantine
   */
  public int replay(MessageFilter filter) {
    return endpointsOf(filter.endpoint()).stream()
        .mapToInt(endpoint -> replay(endpoint, filter.endpoint(endpoint)))
        .sum();
  }

  /**
   * Deletes all deliveries that match the filter, in arrival order, of any endpoint. A redelivery
   * is validated anew.
   *
   * <p>It works in pages, one transaction each. Running it twice, or concurrently, discards nothing
   * twice.
   *
   * @return how many
   */
  public int discard(MessageFilter filter) {
    int discarded = 0;
    long after = 0;
    List<Long> page;
    do {
      page = operator.store().discardQuarantined(filter, operator.name(), after, PAGE);
      discarded += page.size();
      after = page.isEmpty() ? after : page.get(page.size() - 1);
    } while (page.size() == PAGE);
    return discarded;
  }

  /** The interventions on quarantined deliveries that match the filter, newest first. */
  public List<Intervention> history(MessageFilter filter, int limit) {
    return operator.store().interventions(Intervention.Origin.QUARANTINE, filter, limit);
  }

  private List<String> endpointsOf(@Nullable String endpoint) {
    if (endpoint == null) {
      return checks.keySet().stream().sorted().toList();
    }
    if (!checks.containsKey(endpoint)) {
      throw new InboxException(
          "'%s' is not subscribed by this inbox; it subscribes: %s"
              .formatted(endpoint, String.join(", ", checks.keySet())));
    }
    return List.of(endpoint);
  }

  private int replay(String endpoint, MessageFilter filter) {
    DeliveryValidator check = checks.get(endpoint);
    int replayed = 0;
    long after = 0;
    OperatorStore.ReplayPage page;
    do {
      page =
          operator
              .store()
              .replayQuarantined(
                  filter, operator.name(), after, PAGE, message -> check.check(message.delivery()));
      after = page.last();
      replayed += page.replayed().size();
      for (ValidatedDelivery.Event event : page.replayed()) {
        operator
            .listener()
            .tell(
                l ->
                    l.replayed(
                        new InboxListener.Replayed(
                            new InboxListener.Message(endpoint, event.messageId(), event.type()))));
      }
      if (!page.replayed().isEmpty()) {
        operator.wake().accept(endpoint);
      }
    } while (page.seen() > 0);
    return replayed;
  }
}
