package io.inbox4j.jdbi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inbox4j.contract.store.InboxStoreContract;
import io.inbox4j.contract.store.StoreFixture;
import io.inbox4j.store.InboxStore;
import io.inbox4j.testkit.PgBouncer;
import io.inbox4j.testkit.PostgresServer;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The same through a PgBouncer in transaction mode. */
@Tag("slow")
class PooledStoreTest extends InboxStoreContract {

  private static final String DIRECT = PostgresServer.shared().newDatabase();
  private static final TestDatabase DATABASE =
      new TestDatabase(DIRECT, PostgresServer.shared().dataSource(DIRECT), Jdbi.create(DIRECT));

  private static PgBouncer pooler;

  @BeforeAll
  static void start() {
    assumeTrue(PgBouncer.isPossible(), "this machine has no pgbouncer");
    pooler = PgBouncer.start(PostgresServer.shared().port());
    JdbiInboxStore.migrate(PostgresServer.shared().dataSource(PoolerTest.pooled(pooler, DIRECT)));
    DATABASE.execute("CREATE TABLE effects (name text NOT NULL)");
  }

  @AfterAll
  static void stop() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Override
  protected StoreFixture fixture() {
    return new JdbiFixture(DATABASE) {
      @Override
      public InboxStore newStore() {
        return JdbiInboxStore.connect(PoolerTest.pooled(pooler, DIRECT));
      }
    };
  }
}
