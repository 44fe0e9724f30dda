package io.inbox4j.contract.store;

class InMemoryInboxStoreTest extends InboxStoreContract {

  @Override
  protected StoreFixture fixture() {
    return new InMemoryFixture();
  }
}
