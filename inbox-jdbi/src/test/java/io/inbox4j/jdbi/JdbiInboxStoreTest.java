package io.inbox4j.jdbi;

import io.inbox4j.contract.store.InboxStoreContract;
import io.inbox4j.contract.store.StoreFixture;

class JdbiInboxStoreTest extends InboxStoreContract {

  private static final TestDatabase DATABASE = TestDatabase.fresh();

  @Override
  protected StoreFixture fixture() {
    return new JdbiFixture(DATABASE);
  }
}
