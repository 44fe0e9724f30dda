package io.inbox4j.testkit.engine;

import io.inbox4j.listener.InboxListener;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Every outcome that a listener was told, as a line. */
public final class Heard implements InboxListener {

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  /** All of them, in order. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** The lines that begin with this. */
  public List<String> of(String what) {
    return lines.stream().filter(line -> line.startsWith(what)).toList();
  }

  @Override
  public void received(Received event) {
    lines.add("received " + event.message().messageId());
  }

  @Override
  public void duplicate(Duplicate event) {
    lines.add("duplicate " + event.message().messageId());
  }

  @Override
  public void quarantined(Quarantined event) {
    lines.add("quarantined " + event.reason().code());
  }

  @Override
  public void processed(Processed event) {
    lines.add("processed %s in attempt %d".formatted(event.message().messageId(), event.attempt()));
  }

  @Override
  public void retried(Retried event) {
    lines.add(
        "retried %s after attempt %d".formatted(event.message().messageId(), event.attempt()));
  }

  @Override
  public void dead(Dead event) {
    lines.add("dead %s after attempt %d".formatted(event.message().messageId(), event.attempt()));
  }

  @Override
  public void replayed(Replayed event) {
    lines.add("replayed " + event.message().messageId());
  }

  @Override
  public void discarded(Discarded event) {
    lines.add("discarded " + event.message().messageId());
  }

  @Override
  public void recovered(Recovered event) {
    lines.add("recovered " + event.message().messageId());
  }

  @Override
  public void interrupted(Interrupted event) {
    lines.add("interrupted " + event.endpoint());
  }

  @Override
  public void connected(Connected event) {
    lines.add("connected " + event.endpoint());
  }

  @Override
  public void circuitOpened(CircuitOpened event) {
    lines.add("circuit opened " + event.endpoint());
  }

  @Override
  public void circuitClosed(CircuitClosed event) {
    lines.add("circuit closed " + event.endpoint());
  }

  @Override
  public void undeliverable(Undeliverable event) {
    lines.add(
        "undeliverable %s %s".formatted(event.destination(), event.kept() ? "kept" : "dropped"));
  }
}
