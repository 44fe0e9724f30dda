package io.inbox4j.jdbi.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.jdbi.internal.guard.HandlerSql.Trace;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandlerSqlTest {

  private final HandlerSql.Known sql = new HandlerSql.Known();

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
        "CREATE FUNCTION f(begin int) RETURNS int LANGUAGE sql AS 'SELECT 1'; COMMIT",
        "CREATE FUNCTION f(begin atomic) RETURNS int LANGUAGE sql AS 'SELECT 1'; COMMIT",
        "CREATE FUNCTION begin() RETURNS int LANGUAGE sql AS 'SELECT 1'; COMMIT",
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
    assertThat(ending(text)).isNotNull();
    assertThat(ending(text)).as("what is remembered").isNotNull();
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
    assertThat(ending(text)).isNull();
    assertThat(ending(text)).as("what is remembered").isNull();
  }

  @Test
  void manyDifferentTextsAreToldApart() {
    assertThat(IntStream.range(0, 5_000))
        .allSatisfy(
            n -> {
              assertThat(ending("SELECT " + n)).isNull();
              assertThat(ending("SELECT " + n + "; END")).isEqualTo("END");
            });
    String large = "SELECT '" + "x; COMMIT; ".repeat(10_000) + "'";
    assertThat(ending(large)).isNull();
    assertThat(ending(large + "; COMMIT")).isEqualTo("COMMIT");
  }

  private @Nullable String ending(String text) {
    return sql.of(text).ending();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TEMP TABLE t (n int)",
        "create local temporary table t (n int) on commit preserve rows",
        "CREATE OR REPLACE TEMP VIEW v AS SELECT 1",
        "CREATE TABLE pg_temp.t (n int)",
        "CREATE TABLE IF NOT EXISTS \"pg_temp\".t (n int)",
        "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "SELECT 1 AS n INTO TEMP t",
        "SELECT 1 AS n INTO pg_temp.t",
        "SELECT 1 AS n INTO \"pg_temp\".t",
        "SELECT \"pg_advisory_lock\"(1)",
        "WITH a AS (SELECT 1) SELECT * INTO LOCAL TEMPORARY t FROM a",
        "SELECT pg_advisory_lock(1)",
        "SELECT 1 WHERE pg_try_advisory_lock_shared(?)",
        "LISTEN channel",
        "PREPARE p AS SELECT 1",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
        "SELECT 1; LISTEN channel; SELECT 2"
      })
  void whatIsLeftInTheSessionIsCleared(String text) {
    assertThat(sql.of(text).ending()).isNull();
    assertThat(sql.of(text).trace()).isEqualTo(Trace.LEFTOVERS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET statement_timeout = 0",
        "set session search_path to a",
        "SET ROLE tenant",
        "SET SESSION AUTHORIZATION tenant",
        "SET TIME ZONE 'UTC'",
        "RESET ALL",
        "DISCARD TEMP",
        "LOAD 'x'",
        "SELECT set_config('app.tenant', 'a', false)",
        "SELECT set_config(?, ?, ?)",
        "SELECT set_config('a.b', 'x', false) WHERE true",
        "SELECT set_config('a.b', 'x', true), set_config('a.c', 'x', false)",
        "SELECT set_config('a.b', set_config('a.c', 'x', false), true)",
        "SELECT pg_catalog.\"set_config\"('a.b', concat('x', true), NOT true)",
        "UPDATE pg_settings SET setting = 'x' WHERE name = 'application_name'",
        "UPDATE pg_catalog.\"pg_settings\" SET setting = 'x'",
        "CREATE TEMP TABLE t (n int); SET ROLE tenant; LISTEN channel"
      })
  void settingsOfTheSessionEndWithIt(String text) {
    assertThat(sql.of(text).ending()).isNull();
    assertThat(sql.of(text).trace()).isEqualTo(Trace.SETTINGS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "SET LOCAL search_path = a",
        "SET CONSTRAINTS ALL IMMEDIATE",
        "SET TRANSACTION READ ONLY",
        "SELECT set_config('app.tenant', 'a', true)",
        "SELECT set_config('app.tenant', ?, is_local => true)",
        "SELECT set_config('app.tenant', concat(?, '(,'), true) WHERE false",
        "SELECT set_config('a.b', set_config('a.c', 'x', true), true)",
        "INSERT INTO pg_temp.t VALUES (1)",
        "CREATE TEMP TABLE pg_temp.t (n int) ON COMMIT DROP",
        "SELECT setting FROM pg_settings",
        "EXPLAIN SELECT 1",
        "CREATE TEMP TABLE t (n int) ON COMMIT DROP",
        "SELECT pg_advisory_xact_lock(1)",
        "UPDATE settings SET listen = 'LISTEN'",
        "INSERT INTO temp VALUES (1)",
        "SELECT 'set_config'",
        "DECLARE c CURSOR FOR SELECT 1",
        "CREATE TABLE t (temp int)"
      })
  void whatEndsWithTheTransactionNeedsNoCare(String text) {
    assertThat(sql.of(text).ending()).isNull();
    assertThat(sql.of(text).trace()).isEqualTo(Trace.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
        "CALL settle(1)",
        "EXPLAIN ANALYZE CREATE TEMP TABLE t AS SELECT 1",
        "EXPLAIN (COSTS off, ANALYZE) CREATE TEMP TABLE t AS SELECT 1"
      })
  void whatIsDoneOutOfSightMayLeaveSomething(String text) {
    assertThat(sql.of(text).ending()).isNull();
    assertThat(sql.of(text).trace()).isEqualTo(Trace.UNSEEN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET LOCAL ROLE tenant",
        "set local search_path = a",
        "SET LOCAL \"search_path\" TO a",
        "SET LOCAL SCHEMA 'a'",
        "SET ROLE tenant",
        "SET SESSION AUTHORIZATION tenant",
        "RESET ROLE",
        "SELECT set_config('role', ?, true)",
        "SELECT set_config( 'search_path', 'a', true)",
        "SELECT set_config(?, ?, true)",
        "SELECT set_config('ro' || 'le', 'tenant', true)",
        "SELECT set_config('search'\n'_path', 'a', true)",
        "SELECT set_config(E'\\162ole', 'tenant', true)",
        "DO $$ BEGIN SET LOCAL ROLE tenant; END $$"
      })
  void theRoleAndTheSearchPathAreNoticed(String text) {
    assertThat(sql.of(text).identity()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET LOCAL statement_timeout = 1",
        "SELECT set_config('app.tenant', ?, true)",
        "SELECT role FROM people",
        "INSERT INTO people VALUES ('SET ROLE')",
        "DO $$ BEGIN END $$"
      })
  void otherSettingsAreNotTakenForThem(String text) {
    assertThat(sql.of(text).identity()).isFalse();
  }
}
