package io.inbox4j.reliability.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What is a commit, of all that a client and PostgreSQL say. */
class CommitsTest {

  private final Commits commits = new Commits();

  @Test
  void theEndOfACommitIsOne() {
    ask("", "INSERT INTO inbox_processed SELECT 1");
    assertThat(answer("INSERT 0 1", 'T')).isFalse();
    ask("", "COMMIT");
    assertThat(answer("COMMIT", 'I')).isTrue();
  }

  @Test
  void theEndOfASingleStatementThatInsertsIsOneHoweverOftenItIsBound() {
    ask("S_1", "WITH stored AS (INSERT INTO inbox_messages SELECT 1) SELECT 1");
    assertThat(answer("SELECT 1", 'I')).isTrue();
    bind("S_1");
    assertThat(answer("SELECT 1", 'I')).isTrue();
  }

  @Test
  void whatOnlyReadsIsNone() {
    ask("", "INSERT INTO inbox_processed SELECT 1");
    assertThat(answer("INSERT 0 1", 'I')).isTrue();
    ask("", "SELECT 1");
    assertThat(answer("SELECT 1", 'I')).isFalse();
  }

  @Test
  void whatFailedOrWasRolledBackIsNone() {
    ask("", "INSERT INTO inbox_processed SELECT 1");
    commits.isCommitted('E', text("severity"));
    assertThat(commits.isCommitted('Z', new byte[] {'I'})).isFalse();
    ask("", "INSERT INTO inbox_processed SELECT 1");
    assertThat(answer("INSERT 0 1", 'T')).isFalse();
    ask("", "COMMIT");
    assertThat(answer("ROLLBACK", 'I')).isFalse();
  }

  private void ask(String name, String query) {
    commits.asked('P', text(name + "\0" + query));
    bind(name);
  }

  private void bind(String name) {
    commits.asked('B', text("\0" + name));
  }

  private boolean answer(String tag, char state) {
    assertThat(commits.isCommitted('C', text(tag))).isFalse();
    return commits.isCommitted('Z', new byte[] {(byte) state});
  }

  private static byte[] text(String text) {
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }
}
