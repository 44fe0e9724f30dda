package io.inbox4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.MessageIds;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.retry.RetryPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** What a scrape over HTTP shows, compared with what the tables say. */
@Tag("slow")
@Timeout(240)
class InboxMetricsTest {

  private static final String CANARY = "canary";

  @TestFactory
  Stream<DynamicTest> everyOutcomeIsCountedOnceInEveryHandlingMode() {
    return Stream.of(
        mode("transactional", queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle)),
        mode("inline", queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle).inline()),
        mode("leased", queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle).leased()),
        mode("batch", queue -> queue.onBatch(OrderPlaced.class, InboxMetricsTest::handleAll)));
  }

  private static DynamicTest mode(String name, Consumer<SubscriptionBuilder> subscription) {
    return DynamicTest.dynamicTest(name, () -> countsAreThoseOfTheTables(subscription));
  }

  /** 20 good orders, each delivered twice, one that succeeds in attempt 2, one that dies. */
  private static void countsAreThoseOfTheTables(Consumer<SubscriptionBuilder> subscription)
      throws Exception {
    Consumer<SubscriptionBuilder> retrying = queue -> queue.retry(RetryPolicy.immediate(3));
    try (MeasuredService service = new MeasuredService(subscription.andThen(retrying))) {
      service.inbox.start();
      for (int i = 0; i < 20; i++) {
        service.publish("order " + i);
        service.publish("order " + i);
      }
      service.publish("fails once");
      service.publish("dies " + CANARY);
      service.publish("order-" + CANARY, "unknown", "{}");
      service.publish("order-placed", "broken", "{" + CANARY);
      MeasuredService.until(
          () ->
              service.count("SELECT count(*) FROM inbox_processed") == 21
                  && service.count("SELECT count(*) FROM inbox_dead") == 1
                  && service.count("SELECT count(*) FROM inbox_quarantine") == 2);
      Scrape scrape = service.scrape;
      MeasuredService.until(
          () ->
              scrape.value("inbox_lag_seconds_count") >= 21 // recorded after the counter
                  && scrape.value("inbox_messages_dead_total") >= 1
                  && scrape.value("inbox_messages_duplicates_total") >= 20);

      assertThat(scrape.value("inbox_messages_received_total", "type=\"order-placed\""))
          .isEqualTo((double) service.count("SELECT count(*) FROM inbox_messages"))
          .isEqualTo(22);
      assertThat(scrape.value("inbox_messages_duplicates_total")).isEqualTo(20);
      assertThat(scrape.value("inbox_messages_processed_total")).isEqualTo(21);
      assertThat(scrape.value("inbox_messages_retried_total")).isEqualTo(1);
      assertThat(scrape.value("inbox_messages_failed_total")).isEqualTo(2);
      assertThat(scrape.value("inbox_messages_dead_total")).isEqualTo(1);
      assertThat(scrape.value("inbox_deliveries_quarantined_total")).isEqualTo(2);
      assertThat(scrape.value("inbox_deliveries_quarantined_total", "reason=\"unknown-type\""))
          .isEqualTo(1);
      assertThat(scrape.value("inbox_lag_seconds_count")).isEqualTo(21);
      assertThat(scrape.value("inbox_handler_seconds_count", "outcome=\"returned\"")).isPositive();
      assertThat(scrape.value("inbox_handler_seconds_count", "outcome=\"threw\"")).isPositive();
      assertThat(scrape.value("inbox_batch_size_sum", "step=\"receive\"")).isEqualTo(44);
      assertThat(scrape.value("inbox_batch_size_sum", "step=\"process\"")).isEqualTo(23);
      assertThat(scrape.value("inbox_connected")).isEqualTo(1);
      MeasuredService.until(() -> scrape.value("inbox_pending_messages") == 0);
      assertThat(scrape.value("inbox_pending_oldest_seconds")).isZero();
      assertThat(scrape.text())
          .doesNotContain(CANARY)
          .doesNotContain(MessageIds.of("order", "order 0").toString())
          .doesNotContain("guest"); // the password
    }
  }

  private static void handle(OrderPlaced event, EventContext context) {
    RuntimeException failure = failureOf(event, context);
    if (failure != null) {
      throw failure;
    }
  }

  private static void handleAll(List<OrderPlaced> events, BatchContext<OrderPlaced> context) {
    for (OrderPlaced event : events) {
      RuntimeException failure = failureOf(event, context.of(event));
      if (failure instanceof DeadLetter) {
        throw failure;
      } else if (failure != null) {
        context.fail(event, failure);
      }
    }
  }

  private static @Nullable RuntimeException failureOf(OrderPlaced event, EventContext context) {
    if (event.order().startsWith("dies")) {
      return DeadLetter.because(CANARY);
    }
    return event.order().equals("fails once") && context.attempt() == 1
        ? new IllegalStateException(CANARY)
        : null;
  }

  @Test
  void whatIsPendingAndTheConnectionShowWhileNobodyWorksAndAreGoneAfterTheClose() throws Exception {
    try (MeasuredService service =
        new MeasuredService(queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle))) {
      service.inbox.startReceiving();
      service.publish("a");
      service.publish("b");
      Scrape scrape = service.scrape;
      MeasuredService.until(
          () ->
              scrape.value("inbox_pending_messages") == 2
                  && scrape.value("inbox_pending_oldest_seconds") > 0);
      assertThat(scrape.value("inbox_messages_processed_total")).isZero();
      service.inbox.close();
      assertThat(scrape.text())
          .doesNotContain("inbox_pending_messages", "inbox_connected")
          .contains("inbox_messages_received_total");
    }
  }

  @Test
  void everyMetricOfTheDashboardAndTheRulesIsExposedAndDocumented() throws Exception {
    Path monitoring = root().resolve("docs/monitoring");
    String dashboard = Files.readString(monitoring.resolve("grafana-dashboard.json"));
    assertThat(new JsonMapper().readTree(dashboard).get("panels")).isNotEmpty();
    Set<String> names =
        namesIn(dashboard + Files.readString(monitoring.resolve("prometheus-rules.yml")));
    assertThat(names).hasSizeGreaterThan(10);
    try (MeasuredService service =
        new MeasuredService(queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle))) {
      service.inbox.startReceiving();
      String scraped = service.scrape.text();
      Set<String> exposed =
          scraped
              .lines()
              .filter(line -> line.startsWith("inbox_"))
              .map(line -> line.split("[{ ]", 2)[0])
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(exposed).containsAll(names);
      String documented = Files.readString(root().resolve("docs/observability.md"));
      Set<String> families =
          scraped
              .lines()
              .filter(line -> line.startsWith("# TYPE inbox_"))
              .map(line -> line.split(" ", 4)[2])
              .filter(name -> !name.endsWith("_max"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(families).allMatch(documented::contains);
    }
  }

  private static Set<String> namesIn(String text) {
    Set<String> names = new TreeSet<>();
    Matcher name = Pattern.compile("\\binbox_[a-z_]+").matcher(text);
    while (name.find()) {
      names.add(name.group());
    }
    return names;
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  @Test
  void aTypeOrQueueThatTheInboxWasNotBuiltWithIsCountedAsOther() throws Exception {
    try (MeasuredService service =
        new MeasuredService(queue -> queue.on(OrderPlaced.class, InboxMetricsTest::handle))) {
      InboxMetrics metrics = InboxMetrics.on(service.scrape.registry);
      metrics.opened(new InboxListener.Opened(service.inbox));
      for (int i = 0; i < 1_000; i++) {
        metrics.replayed(
            new InboxListener.Replayed(
                new InboxListener.Message(service.queue, UUID.randomUUID(), CANARY + i)));
        metrics.replayed(
            new InboxListener.Replayed(
                new InboxListener.Message(CANARY + i, UUID.randomUUID(), CANARY + i)));
      }
      metrics.closed(new InboxListener.Closed(service.inbox));
      assertThat(service.scrape.value("inbox_messages_replayed_total")).isEqualTo(2_000);
      assertThat(service.scrape.text()).doesNotContain(CANARY);
    }
  }
}
