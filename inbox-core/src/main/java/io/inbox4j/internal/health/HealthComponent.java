package io.inbox4j.internal.health;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A monitored component, with its status and since when. Used by one thread at a time. */
final class HealthComponent {

  private final String name;
  private final @Nullable String endpoint;
  private final Supplier<HealthFinding> look;
  private @Nullable Part last;

  /**
   * @param look checks the component without waiting
   */
  HealthComponent(String name, @Nullable String endpoint, Supplier<HealthFinding> look) {
    this.name = name;
    this.endpoint = endpoint;
    this.look = look;
  }

  String name() {
    return name;
  }

  /** Checks the component now. */
  Part look(Instant now) {
    HealthFinding found = find();
    Instant since = last == null || last.status() != found.status() ? now : last.since();
    last = new Part(name, endpoint, found.status(), found.detail(), since);
    return last;
  }

  private HealthFinding find() {
    try {
      return look.get();
    } catch (Throwable e) { // the other components are checked regardless
      return HealthFinding.down("could not be looked at: " + LoggedFailure.summary(e));
    }
  }

  /** The status at the last check; up before the first one. */
  Status status() {
    return last == null ? Status.UP : last.status();
  }
}
