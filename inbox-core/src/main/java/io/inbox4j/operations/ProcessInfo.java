package io.inbox4j.operations;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What a process says about itself.
 *
 * @param id identifies this run of the process
 * @param name the name that operators know it by
 * @param host the host that it runs on
 * @param pid its process id there
 * @param version the version of Inbox that it runs
 * @param roles what it does
 * @param handled the event types that it handles, by endpoint; endpoints that it only receives from
 *     have none. {@value #MAX_ENDPOINTS} endpoints and {@value #MAX_TYPES} types at most, the rest
 *     is left out.
 */
public record ProcessInfo(
    UUID id,
    String name,
    String host,
    long pid,
    String version,
    Set<Role> roles,
    Map<String, Set<String>> handled) {

  /** The maximum number of endpoints of a process that are listed. */
  public static final int MAX_ENDPOINTS = 1_000;

  /** The maximum number of types of a process that are listed. */
  public static final int MAX_TYPES = 10_000;

  /** What a process does. */
  public enum Role {
    /** Stores deliveries. */
    RECEIVING,
    /** Runs handlers. */
    PROCESSING,
    /** Sends what is in the outbox. */
    PUBLISHING
  }

  public ProcessInfo {
    roles = Set.copyOf(roles);
    Map<String, Set<String>> listed = new TreeMap<>();
    int room = MAX_TYPES;
    for (Map.Entry<String, Set<String>> endpoint : new TreeMap<>(handled).entrySet()) {
      if (listed.size() < MAX_ENDPOINTS) {
        Set<String> types =
            endpoint.getValue().stream().sorted().limit(room).collect(Collectors.toSet());
        room -= types.size();
        listed.put(endpoint.getKey(), Set.copyOf(types));
      }
    }
    handled = Map.copyOf(listed);
  }

  /** Whether it handles events of this type that arrive at this endpoint. */
  public boolean handles(String endpoint, String type) {
    return handled.getOrDefault(endpoint, Set.of()).contains(type);
  }
}
