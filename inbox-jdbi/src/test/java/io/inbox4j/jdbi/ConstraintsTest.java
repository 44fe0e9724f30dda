package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConstraintsTest {

  private static final TestDatabase DATABASE = TestDatabase.fresh();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO inbox_pending (seq, endpoint, type, lane, attempts) VALUES (1, 'q', 't', 0, 1)",
        "INSERT INTO inbox_pending (seq, endpoint, type, lane, last_error) VALUES (1, 'q', 't', 0, 'e')",
        "INSERT INTO inbox_pending (seq, endpoint, type, lane, attempts) VALUES (1, 'q', 't', 0, -1)",
        "INSERT INTO inbox_pending (seq, endpoint, type, lane, crashes) VALUES (1, 'q', 't', 0, -1)",
        "INSERT INTO inbox_pending (seq, endpoint, type, lane, ordering_key)"
            + " VALUES (1, 'q', 't', 0, 'k')",
        "INSERT INTO inbox_pending (seq, endpoint, type, lane) VALUES (1, 'q', 't', 64)",
        "INSERT INTO inbox_processed VALUES (1, 0, now())",
        "INSERT INTO inbox_dead VALUES (1, 0, 'e', now(), 'q')",
        "INSERT INTO inbox_dead VALUES (1, 1, '', now(), 'q')",
        "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)"
            + " VALUES ('', gen_random_uuid(), 't', '', false)",
        "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)"
            + " VALUES ('q', gen_random_uuid(), '', '', false)",
        "INSERT INTO inbox_quarantine (endpoint, reason, detail, fingerprint, body, redelivered)"
            + " VALUES ('q', '', 'd', gen_random_uuid(), '', false)"
      })
  void aRowThatContradictsItselfIsRefused(String sql) {
    assertThatThrownBy(() -> DATABASE.execute(sql)).hasMessageContaining("check constraint");
  }

  @Test
  void anIdIsStoredOnceForAnEndpoint() {
    String sql =
        "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)"
            + " VALUES (?, '0190b3a6-7c1e-7d3a-9f00-0123456789ab', 't', '', false)";
    DATABASE.execute(sql, "one");
    DATABASE.execute(sql, "two");
    assertThatThrownBy(() -> DATABASE.execute(sql, "one"))
        .hasMessageContaining("inbox_messages_identity");
    assertThat(DATABASE.count("SELECT count(*) FROM inbox_messages")).isEqualTo(2);
  }
}
