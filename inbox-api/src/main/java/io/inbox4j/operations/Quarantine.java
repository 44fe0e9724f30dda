package io.inbox4j.operations;

import io.inbox4j.InboxException;
import io.inbox4j.InboxListener;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.internal.DeliveryCheck;
import io.inbox4j.store.InboxStore;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The deliveries that could not be stored as events. Thread-safe. */
public final class Quarantine {

  private static final int PAGE = 200;

  private final InboxStore store;
  private final Map<String, DeliveryCheck> checks;
  private final SafeListener listener;
  private final Consumer<String> wake;

  /**
   * @param checks the checks at the door of every endpoint
   * @param wake called with an endpoint that has something to do again
   */
  public Quarantine(
      InboxStore store,
      Map<String, DeliveryCheck> checks,
      SafeListener listener,
      Consumer<String> wake) {
    this.store = store;
    this.checks = Map.copyOf(checks);
    this.listener = listener;
    this.wake = wake;
  }

  /** The first of those that the filter means, in the order they came. */
  public List<QuarantinedMessage> list(MessageFilter filter, int limit) {
    return store.listQuarantined(filter, 0, limit);
  }

  /**
   * Checks all that the filter means anew, as this inbox is configured now; those that pass leave
   * the quarantine and are handled. The rest stay where they are.
   *
   * <p>It works in pages, each a transaction, and only on endpoints that this inbox subscribes.
   *
   * @return how many left the quarantine
   */
  public int replay(MessageFilter filter) {
    return endpointsOf(filter.endpoint()).stream()
        .mapToInt(endpoint -> replay(endpoint, filter.endpoint(endpoint)))
        .sum();
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
    DeliveryCheck check = checks.get(endpoint);
    int replayed = 0;
    long after = 0;
    InboxStore.ReplayPage page;
    do {
      page =
          store.replayQuarantined(filter, after, PAGE, message -> check.check(message.delivery()));
      after = page.last();
      replayed += page.replayed().size();
      for (Arrival.Event event : page.replayed()) {
        listener.tell(
            l -> l.replayed(new InboxListener.Message(endpoint, event.messageId(), event.type())));
      }
      if (!page.replayed().isEmpty()) {
        wake.accept(endpoint);
      }
    } while (page.seen() == PAGE);
    return replayed;
  }
}
