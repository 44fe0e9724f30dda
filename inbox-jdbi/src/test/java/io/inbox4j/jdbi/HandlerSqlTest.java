package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandlerSqlTest {

  private final HandlerSql sql = new HandlerSql();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "commit;",
        "  \n\tCommit  Work",
        "COMMIT AND CHAIN",
        "COMMIT PREPARED 'x'",
        "END",
        "end transaction",
        "ABORT",
        "BEGIN",
        "begin isolation level serializable",
        "START TRANSACTION READ ONLY",
        "ROLLBACK",
        "rollback work",
        "ROLLBACK AND NO CHAIN",
        "ROLLBACK PREPARED 'x'",
        "PREPARE TRANSACTION 'x'",
        "-- COMMENT\nCOMMIT",
        "-- COMMENT\rCOMMIT",
        "/* a /* nested */ comment */ COMMIT",
        "/**/COMMIT/**/",
        ";COMMIT",
        "SELECT 1; COMMIT",
        "SELECT ';'; -- ;\n COMMIT; SELECT 2",
        "SELECT 'it''s'; COMMIT",
        "SELECT E'\\''; COMMIT --'",
        "SELECT '\\'; COMMIT --'",
        "SELECT $1; COMMIT",
        "SELECT $$x$$; COMMIT",
        "SELECT $a$ $$ $a$; COMMIT",
        "SELECT a$b; COMMIT; SELECT c$d",
        "SELECT \"a\"\"b\"; COMMIT",
        "SELECT (1); COMMIT",
        "SELECT CASE WHEN a THEN 1 END; COMMIT",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; COMMIT",
        "DO $$ BEGIN PERFORM 1; END $$; END",
        "ROLLBACK TO inbox_segment",
        "ROLLBACK TO SAVEPOINT Inbox_Segment",
        "ROLLBACK WORK TO SAVEPOINT \"inbox_segment\"",
        "RELEASE inbox_segment",
        "release savepoint inbox_lane",
        "SAVEPOINT inbox_segment",
        "SAVEPOINT \"inbox_segment\""
      })
  void whatBeginsOrEndsATransactionIsFound(String text) {
    assertThat(sql.endOfTransaction(text)).isNotNull();
    assertThat(sql.endOfTransaction(text)).as("what is remembered").isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "SELECT 1",
        "INSERT INTO commit VALUES (1)",
        "SELECT 'COMMIT'",
        "SELECT '; COMMIT; '",
        "SELECT 'it''s; COMMIT'",
        "SELECT E'\\'; COMMIT'",
        "SELECT $$; COMMIT;$$",
        "SELECT $a$; COMMIT; $$ $b$ $a$",
        "SELECT \"; COMMIT\" FROM t",
        "SELECT 1 -- ; COMMIT",
        "SELECT 1 /* ; COMMIT /* ; END */ ; ABORT */",
        "SELECT CASE WHEN a THEN 1 END",
        "DO $$ BEGIN PERFORM 1; END $$",
        "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM u; DELETE FROM v)",
        "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END",
        "CREATE PROCEDURE p() BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
        "SAVEPOINT mine",
        "ROLLBACK TO mine",
        "ROLLBACK WORK TO SAVEPOINT mine",
        "RELEASE mine",
        "RELEASE SAVEPOINT mine",
        "SAVEPOINT savepoint",
        "RELEASE savepoint",
        "PREPARE p AS SELECT 1",
        "PREPARE transaction AS SELECT 1",
        "PREPARE transaction (int) AS SELECT $1",
        "COMMENT ON TABLE commit IS 'COMMIT'",
        "SET LOCAL statement_timeout = '1s'",
        "COPY effects FROM STDIN"
      })
  void whatDoesNotIsNot(String text) {
    assertThat(sql.endOfTransaction(text)).isNull();
    assertThat(sql.endOfTransaction(text)).as("what is remembered").isNull();
  }

  @Test
  void manyDifferentTextsAreToldApart() {
    assertThat(IntStream.range(0, 5_000))
        .allSatisfy(
            n -> {
              assertThat(sql.endOfTransaction("SELECT " + n)).isNull();
              assertThat(sql.endOfTransaction("SELECT " + n + "; END")).isEqualTo("END");
            });
    String large = "SELECT '" + "x; COMMIT; ".repeat(10_000) + "'";
    assertThat(sql.endOfTransaction(large)).isNull();
    assertThat(sql.endOfTransaction(large + "; COMMIT")).isEqualTo("COMMIT");
  }
}
