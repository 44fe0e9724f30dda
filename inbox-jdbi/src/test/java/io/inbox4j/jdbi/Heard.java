package io.inbox4j.jdbi;

import io.inbox4j.InboxListener;
import io.inbox4j.receive.QuarantineReason;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Every outcome that a listener was told, as a line. */
final class Heard implements InboxListener {

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  List<String> lines() {
    return List.copyOf(lines);
  }

  /** The lines that begin with this. */
  List<String> of(String what) {
    return lines.stream().filter(line -> line.startsWith(what)).toList();
  }

  @Override
  public void received(Message message) {
    lines.add("received " + message.messageId());
  }

  @Override
  public void duplicate(Message message) {
    lines.add("duplicate " + message.messageId());
  }

  @Override
  public void quarantined(String endpoint, QuarantineReason reason, String detail) {
    lines.add("quarantined " + reason.code());
  }

  @Override
  public void processed(Message message, int attempt, Duration lag) {
    lines.add("processed %s in attempt %d".formatted(message.messageId(), attempt));
  }

  @Override
  public void retried(Message message, int attempt, Duration delay, Throwable failure) {
    lines.add("retried %s after attempt %d".formatted(message.messageId(), attempt));
  }

  @Override
  public void dead(Message message, int attempt, String error) {
    lines.add("dead %s after attempt %d".formatted(message.messageId(), attempt));
  }

  @Override
  public void replayed(Message message) {
    lines.add("replayed " + message.messageId());
  }

  @Override
  public void discarded(Message message) {
    lines.add("discarded " + message.messageId());
  }

  @Override
  public void recovered(Message message) {
    lines.add("recovered " + message.messageId());
  }

  @Override
  public void interrupted(String endpoint, Throwable cause) {
    lines.add("interrupted " + endpoint);
  }

  @Override
  public void connected(String endpoint) {
    lines.add("connected " + endpoint);
  }

  @Override
  public void circuitOpened(String endpoint, double failureRate, Duration pause) {
    lines.add("circuit opened " + endpoint);
  }

  @Override
  public void circuitClosed(String endpoint) {
    lines.add("circuit closed " + endpoint);
  }
}
