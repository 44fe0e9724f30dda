package io.inbox4j.retry;

import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.RetryLater;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The policy for failed attempts: when to retry, and when to give up on the message.
 *
 * <p>An immutable value; every setter returns a modified copy. The default, {@link #ofDefaults()}:
 *
 * <ul>
 *   <li>exponential delays: 1 s, 2 s, 4 s …, at most 10 min
 *   <li>jitter of ±20 %
 *   <li>10 attempts, then the message is dead
 *   <li>every exception is retried, except a {@link DeadLetter} and a body that does not fit its
 *       class
 * </ul>
 */
public final class RetryPolicy {

  public static final int DEFAULT_MAX_ATTEMPTS = 10;
  public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);
  public static final Duration DEFAULT_MAX_DELAY = Duration.ofMinutes(10);
  public static final double DEFAULT_FACTOR = 2;
  public static final double DEFAULT_JITTER = 0.2;

  private record Rule(Class<? extends Throwable> failure, boolean retry) {}

  private final Backoff backoff;
  private final int maxAttempts;
  private final List<Rule> rules;

  private RetryPolicy(Backoff backoff, int maxAttempts, List<Rule> rules) {
    Backoff.require(
        maxAttempts >= 1 && maxAttempts <= Short.MAX_VALUE,
        "maxAttempts",
        maxAttempts,
        "1 to " + Short.MAX_VALUE);
    this.backoff = backoff;
    this.maxAttempts = maxAttempts;
    this.rules = List.copyOf(rules);
  }

  /** Exponential delays from 1 s to 10 min, 10 attempts. */
  public static RetryPolicy ofDefaults() {
    return exponential(DEFAULT_DELAY);
  }

  /** No retries: the first failure makes the message dead. */
  public static RetryPolicy never() {
    return immediate(1);
  }

  /** Retries at once, up to this many attempts in total. */
  public static RetryPolicy immediate(int maxAttempts) {
    return fixed(Duration.ZERO).jitter(0).maxAttempts(maxAttempts);
  }

  /** Retries after the same delay each time. Defaults to 10 attempts, jitter 20 %. */
  public static RetryPolicy fixed(Duration delay) {
    return new RetryPolicy(
        new Backoff(delay, 1, delay, DEFAULT_JITTER), DEFAULT_MAX_ATTEMPTS, List.of());
  }

  /**
   * Retries after a delay that doubles each time. Defaults to a cap of 10 min (or the first delay,
   * if that is longer), 10 attempts, jitter 20 %.
   */
  public static RetryPolicy exponential(Duration firstDelay) {
    Duration cap = firstDelay.compareTo(DEFAULT_MAX_DELAY) > 0 ? firstDelay : DEFAULT_MAX_DELAY;
    return new RetryPolicy(
        new Backoff(firstDelay, DEFAULT_FACTOR, cap, DEFAULT_JITTER),
        DEFAULT_MAX_ATTEMPTS,
        List.of());
  }

  /** The maximum number of attempts, including the first. Defaults to 10. */
  public RetryPolicy maxAttempts(int attempts) {
    return new RetryPolicy(backoff, attempts, rules);
  }

  /** The factor by which the delay grows with each attempt. Defaults to 2 for exponential. */
  public RetryPolicy factor(double factor) {
    return with(new Backoff(backoff.first(), factor, backoff.cap(), backoff.jitter()));
  }

  /** The longest delay. Defaults to 10 min. */
  public RetryPolicy maxDelay(Duration cap) {
    return with(new Backoff(backoff.first(), backoff.factor(), cap, backoff.jitter()));
  }

  /** The random fraction that is added to or subtracted from a delay, 0 to 1. Defaults to 0.2. */
  public RetryPolicy jitter(double jitter) {
    return with(new Backoff(backoff.first(), backoff.factor(), backoff.cap(), jitter));
  }

  /**
   * Gives up at once on this exception, its subclasses, and anything caused by one of them.
   *
   * <p>If several rules match, the one added first decides.
   */
  public RetryPolicy giveUpOn(Class<? extends Throwable> failure) {
    return with(new Rule(failure, false));
  }

  /**
   * Retries on this exception, its subclasses, and anything caused by one of them; with such a
   * rule, exceptions that match no rule are given up on at once.
   */
  public RetryPolicy retryOn(Class<? extends Throwable> failure) {
    return with(new Rule(failure, true));
  }

  /** The maximum number of attempts, including the first. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** Decides what to do after the given attempt, counted from 1, failed like this. */
  public RetryDecision decide(int attempt, Throwable failure) {
    if (failure instanceof DeadLetter) {
      return new RetryDecision.GiveUp("the handler gave up");
    }
    if (failure instanceof UnreadableEventException) {
      return new RetryDecision.GiveUp("the body cannot be read");
    }
    if (attempt >= maxAttempts) {
      return new RetryDecision.GiveUp("attempt %d of %d failed".formatted(attempt, maxAttempts));
    }
    if (failure instanceof RetryLater later) {
      return new RetryDecision.RetryAfter(later.delay());
    }
    if (!retries(failure)) {
      return new RetryDecision.GiveUp("the policy gives up on this at once");
    }
    return new RetryDecision.RetryAfter(
        backoff.after(attempt, ThreadLocalRandom.current().nextDouble()));
  }

  private boolean retries(Throwable failure) {
    for (Rule rule : rules) {
      int depth = 0;
      for (Throwable t = failure; t != null && depth < 100; t = t.getCause(), depth++) {
        if (rule.failure.isInstance(t)) {
          return rule.retry;
        }
      }
    }
    return rules.stream().noneMatch(Rule::retry);
  }

  private RetryPolicy with(Backoff changed) {
    return new RetryPolicy(changed, maxAttempts, rules);
  }

  private RetryPolicy with(Rule rule) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(rule);
    return new RetryPolicy(backoff, maxAttempts, more);
  }

  @Override
  public String toString() {
    return "%d attempts, delay %s × %s up to %s"
        .formatted(maxAttempts, backoff.first(), backoff.factor(), backoff.cap());
  }
}
