package io.inbox4j.internal.run;

import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.limit.AdmissionControl;
import io.inbox4j.internal.limit.Circuit;
import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;

/** What all that handles the messages of an endpoint in this process works with. */
public record WorkerContext(
    EndpointConfig config,
    HandlerInvoker handlers,
    InboxStore store,
    AdmissionControl admissionControl,
    OutcomeReporter outcomes) {

  public String endpoint() {
    return config.endpoint();
  }

  public WorkSignal signal() {
    return admissionControl.signal();
  }

  public Circuit circuit() {
    return admissionControl.circuit();
  }

  /** Begins a transaction in which messages of the endpoint are claimed. */
  public WorkTransaction begin() {
    return store.begin(endpoint());
  }
}
