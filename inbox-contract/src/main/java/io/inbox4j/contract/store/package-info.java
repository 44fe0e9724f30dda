/**
 * The contract of {@link io.inbox4j.store.InboxStore}: the tests that every store must pass.
 *
 * <p>A store's own test extends {@link io.inbox4j.contract.store.InboxStoreContract} and supplies a
 * {@link io.inbox4j.contract.store.StoreFixture}.
 */
@NullMarked
package io.inbox4j.contract.store;

import org.jspecify.annotations.NullMarked;
