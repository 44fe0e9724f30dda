package io.inbox4j.operations;

import java.time.Instant;

/**
 * A process that is running.
 *
 * @param info what it says about itself
 * @param startedAt since when it is running
 * @param seenAt its last heartbeat
 */
public record RunningProcess(ProcessInfo info, Instant startedAt, Instant seenAt) {}
