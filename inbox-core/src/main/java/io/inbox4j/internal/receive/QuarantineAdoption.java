package io.inbox4j.internal.receive;

import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.store.OperatorStore;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays deliveries that were quarantined by processes that did not know their type, soon after
 * they arrive: in a rolling deployment old processes receive new types. Every process does so for
 * the types it knows, so no process has to know them all.
 */
public final class QuarantineAdoption {

  private static final Logger log = LoggerFactory.getLogger(QuarantineAdoption.class);
  private static final int PAGE = 200;

  /** The name under which it is recorded. */
  private static final String BY = "inbox";

  private final OperatorStore store;
  private final Map<String, Set<String>> types;
  private final Map<String, DeliveryValidator> validators;
  private final SafeListener listener;
  private final Consumer<String> wake;

  /**
   * @param types the names of the types that this process knows, by endpoint
   * @param validators the validator of every endpoint
   * @param wake called with an endpoint that has work again
   */
  public QuarantineAdoption(
      OperatorStore store,
      Map<String, Set<String>> types,
      Map<String, DeliveryValidator> validators,
      SafeListener listener,
      Consumer<String> wake) {
    this.store = store;
    this.types = Map.copyOf(types);
    this.validators = Map.copyOf(validators);
    this.listener = listener;
    this.wake = wake;
  }

  /** Checks every endpoint once; cheap where there is nothing to adopt. */
  public void look(BooleanSupplier closed) {
    validators.forEach((endpoint, validator) -> look(endpoint, validator, closed));
  }

  private void look(String endpoint, DeliveryValidator validator, BooleanSupplier closed) {
    int adopted = 0;
    long after = 0;
    while (!closed.getAsBoolean()) {
      OperatorStore.ReplayPage page =
          store.adoptQuarantined(
              endpoint,
              types.getOrDefault(endpoint, Set.of()),
              BY,
              after,
              PAGE,
              message -> validator.check(message.delivery()));
      if (page.seen() == 0) {
        break;
      }
      after = page.last();
      adopted += page.replayed().size();
      page.replayed()
          .forEach(
              event ->
                  listener.tell(
                      l ->
                          l.replayed(
                              new InboxListener.Replayed(
                                  new InboxListener.Message(
                                      endpoint, event.messageId(), event.type())))));
      if (!page.replayed().isEmpty()) {
        wake.accept(endpoint);
      }
    }
    if (adopted > 0) {
      log.info(
          "{} messages of {} left the quarantine: they had come to processes that do not know their type",
          adopted,
          endpoint);
    }
  }
}
