package io.inbox4j.examples.retry;

import io.inbox4j.examples.retry.RetryAndReplay.PaymentDue;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.RetryLater;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A handler that fails in every way there is. */
final class PaymentGateway implements EventHandler<PaymentDue> {

  private final Set<String> paid = ConcurrentHashMap.newKeySet();
  private volatile boolean away = true;

  @Override
  public void handle(PaymentDue payment, EventContext context) throws IOException {
    if (payment.cents() < 0) {
      throw new IllegalArgumentException(payment.cents() + " cents cannot be collected");
    }
    if (payment.customer().equals("nobody")) {
      throw DeadLetter.because("there is no such customer");
    }
    if (payment.customer().equals("carol") && context.attempt() == 1) {
      throw RetryLater.after(Duration.ofMillis(300), "carol's bank asks for a little patience");
    }
    if (away && payment.customer().equals("alice")) {
      throw new IOException("the gateway does not answer");
    }
    paid.add(payment.customer());
  }

  void comeBack() {
    away = false;
  }

  Set<String> paid() {
    return Set.copyOf(paid);
  }
}
