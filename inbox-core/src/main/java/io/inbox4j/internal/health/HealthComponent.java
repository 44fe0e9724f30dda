package io.inbox4j.internal.health;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One part, and since when it is as it is. Used by one thread at a time. */
final class HealthComponent {

  private final String name;
  private final @Nullable String endpoint;
  private final Supplier<HealthFinding> look;
  private @Nullable Part last;

  /**
   * @param look finds out how the part is, at once
   */
  HealthComponent(String name, @Nullable String endpoint, Supplier<HealthFinding> look) {
    this.name = name;
    this.endpoint = endpoint;
    this.look = look;
  }

  String name() {
    return name;
  }

  /** How it is now. */
  Part look(Instant now) {
    HealthFinding found = find();
    Instant since = last == null || last.status() != found.status() ? now : last.since();
    last = new Part(name, endpoint, found.status(), found.detail(), since);
    return last;
  }

  private HealthFinding find() {
    try {
      return look.get();
    } catch (Throwable e) { // the other parts are looked at all the same
      return HealthFinding.down("could not be looked at: " + LoggedFailure.summary(e));
    }
  }

  /** How it was when it was looked at last; up before. */
  Status status() {
    return last == null ? Status.UP : last.status();
  }
}
