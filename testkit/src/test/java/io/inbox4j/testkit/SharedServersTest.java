package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a JVM leaves behind that never closes the servers it has used. */
@Tag("slow")
class SharedServersTest {

  @Test
  void theSharedServersEndWithTheirJvm() {
    assumeTrue(System.getenv("INBOX_TEST_AMQP") == null, "a given broker goes on");
    try (ChildProcess child = ChildProcess.start(UsesSharedServers.class)) {
      String postgres = child.awaitLine("postgres ", Duration.ofMinutes(2)).split(" ", -1)[1];
      int rabbitPort = port(child.awaitLine("rabbit ", Duration.ofMinutes(2)).split(" ", -1)[1]);
      List<OsProcess> started =
          ProcessHandle.of(child.pid())
              .map(ProcessHandle::descendants)
              .orElseGet(Stream::empty)
              .map(process -> new OsProcess(process.pid()))
              .toList();
      assertThat(answers(rabbitPort)).isTrue();
      assertThat(new OsProcess(Long.parseLong(postgres)).isRunning()).isTrue();

      child.send("end");

      assertThat(child.exitCode(Duration.ofMinutes(1))).isEqualTo(3);
      assertThat(answers(rabbitPort)).isFalse();
      assertThat(new OsProcess(Long.parseLong(postgres)).isRunning()).isFalse();
      assertThat(started).noneMatch(OsProcess::isRunning);
    }
  }

  private static int port(String uri) {
    return URI.create(uri).getPort();
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
