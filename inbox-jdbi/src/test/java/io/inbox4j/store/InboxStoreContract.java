package io.inbox4j.store;

import org.junit.jupiter.api.Nested;

/**
 * What every store must do. A store's test extends it and gives it a fixture; the contract knows
 * nothing of a store but its port.
 */
public abstract class InboxStoreContract {

  /** The store under test. All fixtures of a test class may share their data. */
  protected abstract StoreFixture fixture();

  @Nested
  class Receiving extends ReceivingContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Working extends WorkContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Orphaning extends OrphanContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Ordering extends OrderContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Discarding extends DiscardContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Recording extends RecordContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Replaying extends ReplayContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Waiting extends PendingContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Telling extends StatusContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class RememberingFailures extends HistoryContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class RegisteringProcesses extends ProcessRegistryContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }
}
