package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static io.inbox4j.cli.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.cli.Cli.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands on tables in a schema that the search path does not lead to. */
@Timeout(120)
class SchemaOptionTest {

  private final Tables tables = Tables.none();

  private Result inbox(String command, String... more) {
    String[] args = new String[more.length + 5];
    args[0] = command;
    System.arraycopy(more, 0, args, 1, more.length);
    System.arraycopy(
        new String[] {"--jdbc", tables.url(), "--schema", "inbox"}, 0, args, more.length + 1, 4);
    return Cli.here(args);
  }

  @Test
  void everyCommandUsesThatSchema() {
    Result migrated = inbox("migrate");
    assertThat(migrated.code()).as(migrated.err()).isZero();
    assertThat(tables.texts("SELECT to_regclass('public.inbox_messages') IS NULL"))
        .containsExactly("t");
    tables.execute("SET search_path = inbox;\n" + Tables.FILL);
    assertThat(inbox("status", "--json").json().get("endpoints")).hasSize(2);
    assertThat(inbox("list", "--json").json()).hasSize(3);
    assertThat(inbox("list", "--status", "pending", "--json").json()).hasSize(6);
    assertThat(inbox("list", "--status", "retrying", "--json").json()).hasSize(2);
    assertThat(inbox("list", "--status", "processed", "--json").json()).hasSize(4);
    assertThat(inbox("show", id(6)).out()).contains("dead", "no such customer");
    assertThat(inbox("pause", BILLING, "--reason", "stock").code()).isZero();
    assertThat(inbox("resume", BILLING).code()).isZero();
    assertThat(inbox("replay", id(6)).code()).isZero();
    assertThat(inbox("purge", "--yes").code()).isZero();
    assertThat(inbox("tail", "--for", "100ms", "--every", "100ms").code()).isZero();
    Result doctor = inbox("doctor");
    assertThat(doctor.out()).contains("version 2", "all 20 are there", "use their indexes");
    assertThat(doctor.code()).as(doctor.out()).isZero();
    assertThat(tables.count("SELECT count(*) FROM inbox.inbox_dead")).isEqualTo(2);
  }

  @Test
  void withoutItTheTablesAreMissing() {
    assertThat(inbox("migrate").code()).isZero();
    Result status = Cli.here("status", "--jdbc", tables.url());
    assertThat(status.code()).isEqualTo(1);
    assertThat(status.err()).contains("are missing", "inbox migrate");
  }

  @Test
  void aNameThatIsNoneIsRefused() {
    Result status = Cli.here("status", "--jdbc", tables.url(), "--schema", "In Box");
    assertThat(status.code()).isEqualTo(2);
    assertThat(status.err()).contains("--schema is 'In Box'; expected lower-case letters");
  }
}
