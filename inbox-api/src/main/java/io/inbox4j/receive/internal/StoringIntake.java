package io.inbox4j.receive.internal;

import io.inbox4j.InboxException;
import io.inbox4j.InboxListener;
import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventTypes;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.Intake;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.store.Receipt;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.transport.Delivery;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The intake of an endpoint: checks, stores, tells. */
public final class StoringIntake<T extends IntegrationEvent> implements Intake<T> {

  private static final Logger log = LoggerFactory.getLogger(StoringIntake.class);

  private final String endpoint;
  private final EventTypes<T> types;
  private final DeliveryCheck check;
  private final Storing storing;
  private final Runnable probe;
  private final SafeListener listener;
  private final QuarantineLog quarantineLog;

  public StoringIntake(
      String endpoint,
      EventTypes<T> types,
      DeliveryCheck check,
      Storing storing,
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
  public Arrival check(Delivery delivery) {
    return check.check(delivery);
  }

  @Override
  public void probe() {
    probe.run();
  }

  @Override
  public void store(List<Arrival> batch) {
    store(batch, true);
  }

  private void store(List<Arrival> batch, boolean mayGoOneByOne) {
    Storing.Stored result;
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
    listener.tell(l -> l.batchStored(endpoint, batch.size()));
    result.told().run();
  }

  /** One message that the database refuses must not hold up the others: it is put aside. */
  private void storeOneByOne(List<Arrival> batch, InboxException refusal) {
    log.debug("A batch of {} was refused, storing it one by one: {}", endpoint, refusal.toString());
    for (Arrival arrival : batch) {
      try {
        store(List.of(arrival), false);
      } catch (StoreUnavailableException e) {
        throw e;
      } catch (InboxException e) {
        String detail = "the database refuses it: " + e.getMessage();
        store(
            List.of(
                new Arrival.Rejected(
                    arrival.delivery(), arrival.headers(), QuarantineReason.UNSTORABLE, detail)),
            false);
      }
    }
  }

  private void tell(Arrival arrival, Receipt receipt) {
    if (arrival instanceof Arrival.Rejected rejected) {
      quarantined(arrival.delivery(), rejected.reason(), rejected.detail());
    } else if (receipt == Receipt.CONFLICT) {
      quarantined(
          arrival.delivery(),
          QuarantineReason.ID_CONFLICT,
          "the id %s is stored with another body or type"
              .formatted(((Arrival.Event) arrival).messageId()));
    } else if (!listener.isEmpty()) {
      Arrival.Event event = (Arrival.Event) arrival;
      InboxListener.Message message =
          new InboxListener.Message(endpoint, event.messageId(), event.type());
      listener.tell(
          receipt == Receipt.STORED ? l -> l.received(message) : l -> l.duplicate(message));
    }
  }

  private void quarantined(Delivery delivery, QuarantineReason reason, String detail) {
    quarantineLog.add(endpoint, reason, delivery.messageId(), detail);
    listener.tell(l -> l.quarantined(endpoint, reason, detail));
  }
}
