package io.inbox4j.jdbi.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class SqlErrorNamesTest {

  @Test
  void aStateIsShownWithItsNameIfItHasOne() {
    assertThat(SqlErrorNames.in(new SQLException("secret", "23505")))
        .isEqualTo("SQLSTATE 23505, unique_violation");
    assertThat(SqlErrorNames.in(new SQLException("secret", "XX000"))).isEqualTo("SQLSTATE XX000");
  }

  @Test
  void whatIsNoStateIsNotShown() {
    assertThat(SqlErrorNames.in(new SQLException("secret", "a secret"))).isEmpty();
    assertThat(SqlErrorNames.in(new SQLException("secret"))).isEmpty();
  }

  @Test
  void theNamesOutliveTheText() {
    SQLException plain = PlainSqlException.of(new SQLException("secret", "23505"));
    assertThat(SqlErrorNames.in(plain)).isEqualTo("SQLSTATE 23505, unique_violation");
  }
}
