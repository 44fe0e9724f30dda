package io.inbox4j.reliability.history;

import java.util.List;

/**
 * All that is known after everything has come to rest.
 *
 * @param published what was published, each message once for every queue
 * @param effects what handlers have done, from a table without a unique key
 * @param dead what was given up on
 * @param quarantined what was put aside
 * @param pending what still waits
 * @param deadLettered what the broker has put aside, because nobody acknowledged it
 */
public record History(
    List<Publish> published,
    List<Effect> effects,
    List<Kept> dead,
    List<Kept> quarantined,
    List<Kept> pending,
    List<Kept> deadLettered) {}
