package io.inbox4j.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.examples.ProgramOutput;
import io.inbox4j.examples.support.EmbeddedServers;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the demo as a process of its own, as a user does. */
@Tag("slow")
class DemoTest {

  @Test
  void itKillsAWorkerAndFindsEverySumRight() throws Exception {
    assertRight(demo("--orders", "300"));
  }

  @Test
  void onGivenServersItBeginsByDeletingWhatAnotherRunLeft() throws Exception {
    try (EmbeddedServers given = EmbeddedServers.start()) {
      leaveAnInvoice(given.jdbcUrl());
      leaveAMessage(given.amqpUri());
      assertRight(demo("--orders", "200", "--amqp", given.amqpUri(), "--jdbc", given.jdbcUrl()));
    }
  }

  private static void leaveAnInvoice(String jdbcUrl) {
    new DemoDatabase(jdbcUrl).prepare();
    Jdbi.create(jdbcUrl)
        .useHandle(handle -> handle.execute("INSERT INTO inbox_demo.invoices VALUES (1, 1, 1)"));
  }

  private static void leaveAMessage(String amqpUri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.queueDeclare(DemoQueue.NAME, true, false, false, Map.of());
      channel.basicPublish("", DemoQueue.NAME, null, new byte[] {1, 2, 3});
      channel.waitForConfirmsOrDie(30_000);
    }
  }

  private static void assertRight(ProgramOutput output) {
    assertThat(output.lines())
        .anyMatch(line -> line.contains("is killed (SIGKILL) after"))
        .anyMatch(line -> line.startsWith("effects in the business table") && line.endsWith("ok"))
        .anyMatch(line -> line.startsWith("The killed worker had "))
        .anyMatch(line -> line.startsWith("RIGHT: "))
        .noneMatch(line -> line.contains("WRONG"));
    assertThat(output.exitCode()).isZero();
  }

  @Test
  void aWrongArgumentEndsItWithExitCode2() throws Exception {
    ProgramOutput output = demo("--orders", "many");
    assertThat(output.lines())
        .containsExactly("bin/demo: --orders is 'many'; expected a number from 200 to 1000000");
    assertThat(output.exitCode()).isEqualTo(2);
  }

  @Test
  void aServerThatIsNotThereEndsItWithAnExplanation() throws Exception {
    ProgramOutput output =
        demo("--amqp", "amqp://127.0.0.1:1", "--jdbc", "jdbc:postgresql://127.0.0.1:1/x");
    assertThat(output.lines()).singleElement().asString().contains("it could not run", "refused");
    assertThat(output.exitCode()).isEqualTo(1);
  }

  @Test
  void helpSaysWhatThereIs() throws Exception {
    ProgramOutput output = demo("--help");
    assertThat(output.lines()).anyMatch(line -> line.contains("--orders N"));
    assertThat(output.exitCode()).isZero();
  }

  private static ProgramOutput demo(String... args) throws Exception {
    return ProgramOutput.of(Demo.class, Map.of(), args);
  }
}
