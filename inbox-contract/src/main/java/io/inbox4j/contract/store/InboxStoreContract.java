package io.inbox4j.contract.store;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * What every store must do. A store's test extends it and gives it a fixture; the contract knows
 * nothing of a store but its port, and exercises every method of it.
 *
 * <pre>{@code
 * class MyStoreTest extends InboxStoreContract {
 *   @Override
 *   protected StoreFixture fixture() {
 *     return new MyFixture(DATABASE);
 *   }
 * }
 * }</pre>
 */
public abstract class InboxStoreContract {

  static PortCalls calls = new PortCalls();

  /** The fixture of one test. All tests of a class may share their data. */
  protected abstract StoreFixture fixture();

  @BeforeAll
  static void forgetCalls() {
    calls = new PortCalls();
  }

  @AfterAll
  static void everyMethodOfThePortWasCalled() {
    calls.requireAll(InboxStoreContract.class);
  }

  @Nested
  class Receiving extends ReceivingContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
    }
  }

  @Nested
  class ReceivingInline extends InlineContract {
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
  class Leasing extends LeasingContract {
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
    class Pausing extends PausingContract {
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
  class Publishing extends OutboxContract {
    @Override
    StoreFixture fixture() {
      return InboxStoreContract.this.fixture();
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
  class Retention extends RetentionContract {
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
