package io.inbox4j.internal.limit;

import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.store.ClaimedMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the workers of an endpoint may claim now, by concurrency limits and the circuit
 * breaker.
 */
public final class AdmissionControl {

  private final ConcurrencyLimit all;
  private final Set<String> unlimited;
  private final List<TypeLimit> limited;
  private final Circuit circuit;
  private final WorkSignal signal;

  /** The names of a limited event type, and its concurrency limit. */
  public record TypeLimit(Set<String> names, ConcurrencyLimit permits) {}

  /**
   * @param all the concurrency limit across all endpoints
   */
  public AdmissionControl(
      EndpointConfig config, ConcurrencyLimit all, Circuit circuit, WorkSignal signal) {
    this.all = all;
    this.circuit = circuit;
    this.signal = signal;
    this.limited = new ArrayList<>();
    Set<String> rest = new HashSet<>(config.handledTypes().names());
    config
        .concurrencyByEvent()
        .forEach(
            (event, count) -> {
              Set<String> names = config.handledTypes().only(Set.of(event)).names();
              limited.add(new TypeLimit(names, ConcurrencyLimit.of(count)));
              rest.removeAll(names);
            });
    this.unlimited = Set.copyOf(rest);
  }

  public ConcurrencyLimit all() {
    return all;
  }

  public WorkSignal signal() {
    return signal;
  }

  public Circuit circuit() {
    return circuit;
  }

  /** The types without a concurrency limit of their own. */
  public Set<String> unlimited() {
    return unlimited;
  }

  public List<TypeLimit> limited() {
    return limited;
  }

  /** Admits one worker, to handle one message at a time; null if it has to wait. */
  public @Nullable Admission enter() {
    int admitted = circuit.admits();
    if (admitted == 0) {
      return null;
    }
    if (all.take(1, signal) == 0) {
      circuit.foundNothing();
      return null;
    }
    Admission admission = new Admission(admitted);
    if (admission.types.isEmpty()) {
      admission.close();
      return null;
    }
    return admission;
  }

  /**
   * The permission of one worker to claim, until it is closed: how many messages, and of which
   * types.
   */
  public final class Admission implements AutoCloseable {

    private final int limit;
    private final Set<String> types;
    private final List<TypeLimit> held = new ArrayList<>();

    private Admission(int limit) {
      this.limit = limit;
      Set<String> names = unlimited;
      for (TypeLimit type : limited) {
        if (type.permits.take(1, signal) == 1) {
          held.add(type);
          names = new HashSet<>(names);
          names.addAll(type.names);
        }
      }
      this.types = names;
    }

    public int limit() {
      return limit;
    }

    public Set<String> types() {
      return types;
    }

    /** Releases the limits of types of which this worker claimed no message. */
    public void claimed(Collection<ClaimedMessage> messages) {
      if (!held.isEmpty()) {
        Set<String> used = new HashSet<>();
        messages.forEach(message -> used.add(message.type()));
        List<TypeLimit> idle =
            held.stream().filter(type -> used.stream().noneMatch(type.names::contains)).toList();
        idle.forEach(type -> type.permits.release(1));
        held.removeAll(idle);
      }
    }

    @Override
    public void close() {
      if (limit == 1) {
        circuit.foundNothing(); // unless the outcome of the trial message is known by now
      }
      all.release(1);
      held.forEach(type -> type.permits.release(1));
    }
  }
}
