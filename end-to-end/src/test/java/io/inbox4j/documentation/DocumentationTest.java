package io.inbox4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.testkit.PostgresServer;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class DocumentationTest {

  /** What the snippets take for granted. */
  private static final String AROUND =
      """
      import io.inbox4j.*;
      import io.inbox4j.cli.application.*;
      import io.inbox4j.error.*;
      import io.inbox4j.event.*;
      import io.inbox4j.format.*;
      import io.inbox4j.handler.*;
      import io.inbox4j.jdbi.*;
      import io.inbox4j.listener.*;
      import io.inbox4j.memory.*;
      import io.inbox4j.micrometer.*;
      import io.inbox4j.opentelemetry.*;
      import io.inbox4j.operations.*;
      import io.inbox4j.publish.*;
      import io.inbox4j.rabbitmq.*;
      import io.inbox4j.retry.*;
      import io.inbox4j.transport.*;
      import io.micrometer.core.instrument.MeterRegistry;
      import io.opentelemetry.api.OpenTelemetry;
      import java.math.BigDecimal;
      import java.nio.charset.StandardCharsets;
      import java.time.Duration;
      import java.time.Instant;
      import java.util.*;
      import java.util.concurrent.*;
      import javax.net.ssl.SSLContext;
      import javax.sql.DataSource;
      import org.jdbi.v3.core.Handle;
      import org.jdbi.v3.core.Jdbi;
      import org.jdbi.v3.core.statement.PreparedBatch;
      import tools.jackson.dataformat.cbor.CBORMapper;

      class Documented {
        %s
        interface Pager { void alert(String text); }
        interface Payments { String charge(UUID orderId, UUID idempotencyKey); }
        interface Billing {
          void orderCreated(OrderCreated event, EventContext context);
          void orderCancelled(OrderCancelled event, EventContext context);
          boolean isOpen();
        }
        void snippet(DataSource dataSource, Jdbi jdbi, Pager pager, Payments payments, Billing billing, UUID orderId, byte[] body, SSLContext sslContext, MeterRegistry registry, OpenTelemetry openTelemetry %s)
            throws Exception {
          %s
        }
      }
      """;

  private static final String EVENTS =
      """
      record OrderCreated(UUID messageId, UUID orderId, BigDecimal total) implements IntegrationEvent {}
      record OrderCancelled(UUID messageId, UUID orderId) implements IntegrationEvent {}
      """;

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyJavaSnippetCompiles() {
    List<Snippet> snippets = Snippet.all("java");
    assertThat(snippets).hasSizeGreaterThan(4);
    return snippets.stream()
        .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> compile(snippet)));
  }

  @TestFactory
  Stream<DynamicTest> everySqlSnippetRuns() {
    DataSource database = PostgresServer.shared().dataSource(PostgresServer.shared().newDatabase());
    JdbiInboxStore.migrate(database);
    Jdbi jdbi = Jdbi.create(database);
    List<Snippet> snippets = Snippet.all("sql");
    assertThat(snippets).isNotEmpty();
    return snippets.stream()
        .map(
            snippet ->
                DynamicTest.dynamicTest(
                    snippet.toString(),
                    () -> jdbi.useHandle(handle -> handle.createScript(snippet.code()).execute())));
  }

  @Test
  void theQuickStartHasAtMostFifteenLines() {
    Snippet quickStart = Snippet.all("java").get(0);
    assertThat(quickStart.code().lines()).hasSizeLessThanOrEqualTo(15);
  }

  @Test
  void everyCommandAndFileThatTheReadmeNamesExists() throws Exception {
    String readme = Files.readString(Snippet.root().resolve("README.md"));
    Matcher named =
        Pattern.compile("(?:`(bin/[a-z]+))|(?:\\]\\(([A-Za-z/.-]+)(?:#[a-z-]+)?\\))")
            .matcher(readme);
    int found = 0;
    while (named.find()) {
      String path = named.group(1) == null ? named.group(2) : named.group(1);
      assertThat(Snippet.root().resolve(path)).exists();
      found++;
    }
    assertThat(found).isGreaterThan(5);
  }

  private void compile(Snippet snippet) {
    boolean declaresEvents = snippet.code().contains("record OrderCreated(");
    String inbox = snippet.code().contains("Inbox inbox") ? "" : ", Inbox inbox";
    String source =
        declaresEvents
            ? AROUND.formatted(
                "record OrderCreated(UUID messageId) implements IntegrationEvent {}\n"
                    + "record OrderCancelled(UUID messageId) implements IntegrationEvent {}",
                inbox,
                snippet.code())
            : AROUND.formatted(EVENTS, inbox, snippet.code());
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter errors = new StringWriter();
    boolean compiled =
        compiler
            .getTask(
                errors,
                null,
                null,
                List.of("-d", classes.toString(), "-proc:none", "-cp", classPath()),
                null,
                List.of(new Source(source)))
            .call();
    assertThat(compiled).as("%s does not compile:%n%s", snippet, errors).isTrue();
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private static final class Source extends SimpleJavaFileObject {

    private final String code;

    Source(String code) {
      super(URI.create("string:///Documented.java"), JavaFileObject.Kind.SOURCE);
      this.code = code;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }
  }
}
