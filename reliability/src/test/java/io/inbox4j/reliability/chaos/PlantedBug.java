package io.inbox4j.reliability.chaos;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Bugs that inboxes have had, put between the inbox and its store. */
enum PlantedBug {
  ACK_BEFORE_COMMIT {
    @Override
    List<StoreResult> receive(InboxStore store, String endpoint, List<ValidatedDelivery> batch) {
      CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS)
          .execute(() -> store.receive(endpoint, batch));
      return stored(batch);
    }
  },
  DEDUP_WITHOUT_THE_ENDPOINT {
    @Override
    List<StoreResult> receive(InboxStore store, String endpoint, List<ValidatedDelivery> batch) {
      List<ValidatedDelivery> fresh =
          batch.stream()
              .filter(it -> endpoint.equals(FIRST_SEEN.computeIfAbsent(idOf(it), id -> endpoint)))
              .toList();
      if (!fresh.isEmpty()) {
        store.receive(endpoint, fresh);
      }
      return stored(batch);
    }
  },
  SWALLOWED_COMMIT_FAILURE {
    @Override
    List<StoreResult> receive(InboxStore store, String endpoint, List<ValidatedDelivery> batch) {
      return CALLS.incrementAndGet() % 3 == 0 ? stored(batch) : store.receive(endpoint, batch);
    }
  },
  DISCARD_AFTER_THREE_ERRORS {
    @Override
    List<StoreResult> receive(InboxStore store, String endpoint, List<ValidatedDelivery> batch) {
      for (int attempt = 1; attempt <= 3; attempt++) {
        try {
          return store.receive(endpoint, batch);
        } catch (StoreUnavailableException e) {
          System.out.println("error " + attempt);
          System.out.flush();
        }
      }
      System.out.println("discarded");
      System.out.flush();
      return stored(batch);
    }
  },
  NO_FENCING {
    @Override
    Set<Lease> renew(InboxStore store, Collection<Lease> leases, Duration time) {
      store.renew(leases, time);
      return new HashSet<>(leases); // whoever has them now
    }

    @Override
    WorkTransaction begin(WorkTransaction transaction) {
      Set<Long> ours = new HashSet<>();
      AtomicBoolean leased = new AtomicBoolean();
      return proxy(
          WorkTransaction.class,
          transaction,
          Map.of(
              "claimLeased",
              args -> {
                @SuppressWarnings("unchecked")
                Collection<Lease> leases = (Collection<Lease>) args[0];
                leased.set(true);
                LockSupport.parkNanos(SLOWLY.toNanos()); // so that it can be caught with leases
                transaction.claimLeased(leases).forEach(lease -> ours.add(lease.sequence()));
                return new HashSet<>(leases);
              },
              "commit",
              args -> {
                @SuppressWarnings("unchecked")
                List<Outcome> outcomes = (List<Outcome>) args[0];
                transaction.commit(
                    outcomes.stream()
                        .filter(it -> !leased.get() || ours.contains(it.sequence()))
                        .toList());
                return null;
              }));
    }
  };

  private static final Duration SLOWLY = Duration.ofMillis(50);
  private static final Map<UUID, String> FIRST_SEEN = new HashMap<>();
  private static final AtomicInteger CALLS = new AtomicInteger();

  List<StoreResult> receive(InboxStore store, String endpoint, List<ValidatedDelivery> batch) {
    return store.receive(endpoint, batch);
  }

  Set<Lease> renew(InboxStore store, Collection<Lease> leases, Duration time) {
    return store.renew(leases, time);
  }

  WorkTransaction begin(WorkTransaction transaction) {
    return transaction;
  }

  /** The store with the bug in front of it. */
  InboxStore plantIn(InboxStore store) {
    return proxy(
        InboxStore.class,
        store,
        Map.of(
            "receive",
            args -> {
              @SuppressWarnings("unchecked")
              List<ValidatedDelivery> batch = (List<ValidatedDelivery>) args[1];
              return receive(store, (String) args[0], batch);
            },
            "renew",
            args -> {
              @SuppressWarnings("unchecked")
              Collection<Lease> leases = (Collection<Lease>) args[0];
              return renew(store, leases, (Duration) args[1]);
            },
            "begin",
            args -> begin(store.begin((String) args[0]))));
  }

  private interface Replacement {
    Object call(Object[] args) throws Exception;
  }

  private static <T> T proxy(Class<T> type, T target, Map<String, Replacement> overrides) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              Replacement override = overrides.get(method.getName());
              if (override != null) {
                return override.call(args);
              }
              try {
                return method.invoke(target, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private static List<StoreResult> stored(List<ValidatedDelivery> batch) {
    return Collections.nCopies(batch.size(), StoreResult.STORED);
  }

  private static UUID idOf(ValidatedDelivery arrival) {
    return ((ValidatedDelivery.Event) arrival).messageId();
  }
}
