package io.inbox4j.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.testkit.ChildProcess;
import io.opentelemetry.api.trace.SpanContext;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The producer and the receiver are here, the worker is another process that starts later. */
@Timeout(300)
@Tag("slow")
class TwoProcessesTest {

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  private record PrintedSpan(String traceId, String spanId, String parentId) {

    static PrintedSpan of(String line) {
      String[] words = line.split(" ", -1);
      return new PrintedSpan(words[2], words[3], words[4]);
    }
  }

  @Test
  void whatAHandlerDoesInAWorkersProcessDescendsFromTheProducersSpan() throws Exception {
    try (TracedService service = new TracedService(queue -> queue.receive(OrderPlaced.class))) {
      service.inbox.startReceiving();
      SpanContext producer = service.publish("a");
      await()
          .atMost(TracedService.PATIENCE)
          .until(() -> service.inbox.backlog(service.queue).pending() == 1);
      service.inbox.close();

      try (ChildProcess worker =
          ChildProcess.start(JVM_OPTIONS, TracedWorker.class, service.jdbcUrl, service.queue)) {
        PrintedSpan process =
            PrintedSpan.of(worker.awaitLine("span process ", TracedService.PATIENCE));
        PrintedSpan bill = PrintedSpan.of(worker.awaitLine("span bill ", TracedService.PATIENCE));
        assertThat(process.traceId()).isEqualTo(producer.getTraceId());
        assertThat(process.parentId()).isEqualTo(producer.getSpanId());
        assertThat(bill.traceId()).isEqualTo(producer.getTraceId());
        assertThat(bill.parentId()).isEqualTo(process.spanId());
      }
    }
  }
}
