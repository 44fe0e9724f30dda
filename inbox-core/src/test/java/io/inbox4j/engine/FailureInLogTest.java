package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.engine.Logged;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The log says why a handler fails, and shows nothing that its exception says. */
@Timeout(60)
class FailureInLogTest {

  private static final String SECRET = "secret-4711";
  private static final Pattern MESSAGE_ID = Pattern.compile("inbox show [0-9a-f-]{36}");

  static List<Consumer<SubscriptionBuilder>> modes() {
    return List.of(queue -> {}, SubscriptionBuilder::leased, SubscriptionBuilder::inline);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void aRetryAndADeathSayWhatFailedWhereAndHowToSeeMore(Consumer<SubscriptionBuilder> mode) {
    List<String> lines = logged(builder -> {}, mode, FailureInLogTest::saySomething);
    assertThat(lines)
        .filteredOn(line -> line.startsWith("WARN ") && line.contains("failed in attempt 1"))
        .singleElement()
        .asString()
        .contains("is due again in PT0S", "java.lang.IllegalStateException")
        .contains("at " + FailureInLogTest.class.getName() + ".saySomething(")
        .containsPattern(MESSAGE_ID);
    assertThat(lines)
        .filteredOn(line -> line.startsWith("ERROR ") && line.contains("is dead after attempt 2"))
        .singleElement()
        .asString()
        .contains("java.lang.IllegalStateException")
        .contains("at " + FailureInLogTest.class.getName() + ".saySomething(")
        .containsPattern(MESSAGE_ID);
    assertThat(lines).noneMatch(line -> line.contains(SECRET));
  }

  @Test
  void ofManyFailuresThereAreManyLinesAndOneTrace() {
    try (Service service = failing(builder -> {}, queue -> {}, FailureInLogTest::saySomething);
        Logged log = Logged.by("io.inbox4j")) {
      service.deliver(30);
      service.awaitAll("dead", 30);
      await().until(() -> of(log, "is dead after").size() == 30);
      assertThat(of(log, "is dead after")).filteredOn(it -> it.contains("\tat ")).hasSize(1);
      assertThat(of(log, "failed in attempt")).filteredOn(it -> it.contains("\tat ")).hasSize(1);
    }
  }

  @Test
  void onRequestItHasWhatExceptionsSay() {
    assertThat(
            logged(
                builder -> builder.logExceptionText(true),
                queue -> {},
                FailureInLogTest::saySomething))
        .anyMatch(it -> it.contains("failed in attempt 1") && it.contains("no: " + SECRET))
        .anyMatch(it -> it.contains("is dead after") && it.contains("no: " + SECRET));
  }

  @Test
  void aListenerThatFailsHasATraceAndNoText() {
    InboxListener throwing =
        new InboxListener() {
          @Override
          public void dead(Dead event) {
            throw new IllegalStateException(event.error());
          }
        };
    assertThat(
            logged(
                builder -> builder.listener(throwing), queue -> {}, FailureInLogTest::saySomething))
        .anyMatch(
            line ->
                line.contains("The listener " + throwing.getClass().getName())
                    && line.contains("at " + throwing.getClass().getName() + ".dead("))
        .noneMatch(line -> line.contains(SECRET));
  }

  @Test
  void aReceiveMiddlewareThatFailsHasATraceAndNoText() {
    assertThat(
            logged(
                builder ->
                    builder.receiveMiddleware(
                        (endpoint, deliveries, next) -> {
                          next.run();
                          throw new IllegalStateException(SECRET);
                        }),
                queue -> {},
                FailureInLogTest::saySomething))
        .anyMatch(
            line ->
                line.contains("The receive middleware ")
                    && line.contains("\tat " + FailureInLogTest.class.getName()))
        .noneMatch(line -> line.contains(SECRET));
  }

  @Test
  void anOrderingKeyThatFailsIsFoundByWhatTheQuarantineSays() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(Created.class, (event, context) -> {})
                    .orderedBy(Created.class, event -> key(event)))) {
      service.start().deliver(1);
      assertThat(service.quarantineDetails())
          .singleElement()
          .asString()
          .contains(
              "java.lang.IllegalStateException at " + FailureInLogTest.class.getName() + ".key(")
          .doesNotContain(SECRET);
    }
  }

  private static String key(Created event) {
    throw new IllegalStateException(SECRET + event.n());
  }

  private interface Failing {
    void handle(Created event, EventContext context) throws Exception;
  }

  private static void saySomething(Created event, EventContext context) {
    throw new IllegalStateException("no: " + SECRET);
  }

  /** What is logged while one message fails twice and dies. */
  private static List<String> logged(
      Consumer<InboxBuilder> builder, Consumer<SubscriptionBuilder> mode, Failing handler) {
    try (Service service = failing(builder, mode, handler);
        Logged log = Logged.by("io.inbox4j")) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      await().atMost(Duration.ofSeconds(20)).until(() -> !service.heard.of("dead").isEmpty());
      return log.lines();
    }
  }

  private static Service failing(
      Consumer<InboxBuilder> builder, Consumer<SubscriptionBuilder> mode, Failing handler) {
    Service service =
        Service.with(
            all -> {
              builder.accept(all);
              all.subscribe(
                  Service.QUEUE,
                  mode.andThen(
                      queue ->
                          queue
                              .on(Created.class, handler::handle)
                              .retry(RetryPolicy.immediate(2))));
            });
    service.start();
    return service;
  }

  private static List<String> of(Logged log, String text) {
    return log.lines().stream().filter(line -> line.contains(text)).toList();
  }
}
