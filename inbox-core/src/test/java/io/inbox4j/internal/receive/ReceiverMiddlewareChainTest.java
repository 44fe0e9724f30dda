package io.inbox4j.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReceiverMiddlewareChainTest {

  private static final String SECRET = "4929-1234-5678-9012";

  @Test
  void ofWhatAMiddlewareThrowsAfterTheStoringTheStackTraceIsLoggedAndNotTheText() {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ReceiverMiddlewareChain.class);
    logger.addAppender(logged);
    logger.setLevel(Level.ERROR);
    try {
      ReceiverMiddlewareChain.of(
              "orders",
              List.of(
                  (endpoint, deliveries, next) -> {
                    next.run();
                    throw new IllegalStateException(SECRET);
                  }),
              new Nowhere(),
              new FailureLog())
          .store(List.of());
    } finally {
      logger.setLevel(null);
      logger.detachAppender(logged);
    }
    assertThat(logged.list).hasSize(1);
    assertThat(logged.list.get(0).getFormattedMessage())
        .endsWith("java.lang.IllegalStateException")
        .doesNotContain(SECRET);
    assertThat(ThrowableProxyUtil.asString(logged.list.get(0).getThrowableProxy()))
        .contains(
            "java.lang.IllegalStateException", "at " + ReceiverMiddlewareChainTest.class.getName())
        .doesNotContain(SECRET);
  }

  private static final class Nowhere implements DeliveryReceiver<IntegrationEvent> {

    @Override
    public EventTypes<IntegrationEvent> types() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ValidatedDelivery check(Delivery delivery) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void store(List<ValidatedDelivery> batch) {}
  }
}
