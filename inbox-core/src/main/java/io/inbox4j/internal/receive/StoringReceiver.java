package io.inbox4j.internal.receive;

import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The receiver of an endpoint: validates deliveries, stores them, and notifies listeners. */
public final class StoringReceiver<T extends IntegrationEvent> implements DeliveryReceiver<T> {

  private static final Logger log = LoggerFactory.getLogger(StoringReceiver.class);

  private final String endpoint;
  private final EventTypes<T> types;
  private final DeliveryValidator check;
  private final DeliveryWriter storing;
  private final Runnable probe;
  private final SafeListener listener;
  private final QuarantineLog quarantineLog;

  public StoringReceiver(
      String endpoint,
      EventTypes<T> types,
      DeliveryValidator check,
      DeliveryWriter storing,
      Runnable probe,
      SafeListener listener,
      QuarantineLog quarantineLog) {
    this.endpoint = endpoint;
    this.types = types;
    this.check = check;
    this.storing = storing;
    this.probe = probe;
    this.listener = listener;
    this.quarantineLog = quarantineLog;
  }

  @Override
  public EventTypes<T> types() {
    return types;
  }

  @Override
  public ValidatedDelivery check(Delivery delivery) {
    return check.check(delivery);
  }

  @Override
  public void probe() {
    probe.run();
  }

  @Override
  public void store(List<ValidatedDelivery> batch) {
    store(batch, true);
  }

  private void store(List<ValidatedDelivery> batch, boolean mayGoOneByOne) {
    DeliveryWriter.Stored result;
    try {
      result = storing.store(batch);
    } catch (StoreUnavailableException e) {
      throw e;
    } catch (InboxException e) {
      if (!mayGoOneByOne) {
        throw e;
      }
      storeOneByOne(batch, e);
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      tell(batch.get(i), result.receipts().get(i));
    }
    listener.tell(l -> l.batchStored(new InboxListener.BatchStored(endpoint, batch.size())));
    result.told().run();
  }

  /**
   * Stores deliveries one by one, so that one that the database rejects is quarantined and does not
   * hold up the others.
   */
  private void storeOneByOne(List<ValidatedDelivery> batch, InboxException refusal) {
    log.debug("A batch of {} was refused, storing it one by one: {}", endpoint, refusal.toString());
    for (ValidatedDelivery arrival : batch) {
      try {
        store(List.of(arrival), false);
      } catch (StoreUnavailableException e) {
        throw e;
      } catch (InboxException e) {
        String detail = "the database refuses it: " + e.getMessage();
        store(
            List.of(
                new ValidatedDelivery.Rejected(
                    arrival.delivery(), arrival.headers(), QuarantineReason.UNSTORABLE, detail)),
            false);
      }
    }
  }

  private void tell(ValidatedDelivery arrival, StoreResult receipt) {
    if (arrival instanceof ValidatedDelivery.Rejected rejected) {
      quarantined(arrival.delivery(), rejected.reason(), rejected.detail());
    } else if (receipt == StoreResult.CONFLICT) {
      quarantined(
          arrival.delivery(),
          QuarantineReason.ID_CONFLICT,
          "the id %s is stored with another body or type"
              .formatted(((ValidatedDelivery.Event) arrival).messageId()));
    } else if (!listener.isEmpty()) {
      ValidatedDelivery.Event event = (ValidatedDelivery.Event) arrival;
      InboxListener.Message message =
          new InboxListener.Message(endpoint, event.messageId(), event.type());
      listener.tell(
          receipt == StoreResult.STORED
              ? l -> l.received(new InboxListener.Received(message))
              : l -> l.duplicate(new InboxListener.Duplicate(message)));
    }
  }

  private void quarantined(Delivery delivery, QuarantineReason reason, String detail) {
    quarantineLog.add(endpoint, reason, delivery, detail);
    listener.tell(l -> l.quarantined(new InboxListener.Quarantined(endpoint, reason, detail)));
  }
}
