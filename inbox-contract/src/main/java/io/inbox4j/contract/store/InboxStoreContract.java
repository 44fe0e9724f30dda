package io.inbox4j.contract.store;

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
  class Working extends WorkingContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Ordering extends OrderingContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Recovering extends RecoveringContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  /** Operators. */
  @Nested
  class Operating {

    @Nested
    class Replaying extends ReplayingContract {
      @Override
      StoreFixture fixture() {
        return InboxStoreContract.this.fixture();
      }
    }

    @Nested
    class Discarding extends DiscardingContract {
      @Override
      StoreFixture fixture() {
        return InboxStoreContract.this.fixture();
      }
    }

    @Nested
    class Expediting extends ExpeditingContract {
      @Override
      StoreFixture fixture() {
        return InboxStoreContract.this.fixture();
      }
    }

    @Nested
    class Recording extends RecordingContract {
      @Override
      StoreFixture fixture() {
        return InboxStoreContract.this.fixture();
      }
    }
  }

  @Nested
  class History extends HistoryContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Processes extends ProcessesContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class Status extends StatusContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }
}
