package io.inbox4j.processor;

import io.inbox4j.store.StoredMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the workers of an endpoint may claim now: limits of concurrency and the circuit breaker. */
final class Gate {

  private final Permits all;
  private final Set<String> unlimited;
  private final List<TypeLimit> limited;
  private final Circuit circuit;
  private final Signal signal;

  /** The names of a type that is limited, and how many of it may run. */
  record TypeLimit(Set<String> names, Permits permits) {}

  /**
   * @param all how many handlers may run at once, of all endpoints
   */
  Gate(Workload workload, Permits all, Circuit circuit, Signal signal) {
    this.all = all;
    this.circuit = circuit;
    this.signal = signal;
    this.limited = new ArrayList<>();
    Set<String> rest = new HashSet<>(workload.types().names());
    workload
        .concurrencyByEvent()
        .forEach(
            (event, count) -> {
              Set<String> names = workload.types().only(Set.of(event)).names();
              limited.add(new TypeLimit(names, Permits.of(count)));
              rest.removeAll(names);
            });
    this.unlimited = Set.copyOf(rest);
  }

  Permits all() {
    return all;
  }

  Signal signal() {
    return signal;
  }

  Circuit circuit() {
    return circuit;
  }

  /** The types of which any number may run. */
  Set<String> unlimited() {
    return unlimited;
  }

  List<TypeLimit> limited() {
    return limited;
  }

  /** Lets one worker in, to handle one message at a time; null if it has to wait. */
  @Nullable Pass enter() {
    int admitted = circuit.admits();
    if (admitted == 0) {
      return null;
    }
    if (all.take(1, signal) == 0) {
      circuit.foundNothing();
      return null;
    }
    Pass pass = new Pass(admitted);
    if (pass.types.isEmpty()) {
      pass.close();
      return null;
    }
    return pass;
  }

  /** What one worker may claim, until it is closed. */
  final class Pass implements AutoCloseable {

    private final int limit;
    private final Set<String> types;
    private final List<TypeLimit> held = new ArrayList<>();

    private Pass(int limit) {
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

    int limit() {
      return limit;
    }

    Set<String> types() {
      return types;
    }

    /** Lets others have the types that this worker got no message of. */
    void claimed(Collection<StoredMessage> messages) {
      if (!held.isEmpty()) {
        Set<String> used = new HashSet<>();
        messages.forEach(message -> used.add(message.type()));
        List<TypeLimit> idle =
            held.stream().filter(type -> used.stream().noneMatch(type.names::contains)).toList();
        idle.forEach(type -> type.permits.giveBack(1));
        held.removeAll(idle);
      }
    }

    @Override
    public void close() {
      if (limit == 1) {
        circuit.foundNothing(); // unless the outcome of the trial is known by now
      }
      all.giveBack(1);
      held.forEach(type -> type.permits.giveBack(1));
    }
  }
}
