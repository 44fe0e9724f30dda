package io.inbox4j.jdbi.internal.connect;

import io.inbox4j.error.InboxException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Cleanable;
import org.jdbi.v3.core.statement.StatementBuilder;
import org.jdbi.v3.core.transaction.TransactionHandler;

/**
 * Opens handles of the user's {@link Jdbi} for handlers, on the transaction that they run in.
 *
 * <p>JDBI lets nobody choose the connection of a handle, or copy a {@link Jdbi} with all that
 * plugins have configured. So this calls what {@link Jdbi#open} calls once it has a connection.
 */
public final class BorrowedJdbi {

  private static final Cleanable LEFT_OPEN = () -> {}; // the inbox returns the connection

  private final Jdbi jdbi;
  private final MethodHandle create = creation();

  public BorrowedJdbi(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  private static MethodHandle creation() {
    try {
      return MethodHandles.privateLookupIn(Handle.class, MethodHandles.lookup())
          .findStatic(
              Handle.class,
              "createHandle",
              MethodType.methodType(
                  Handle.class,
                  Jdbi.class,
                  Cleanable.class,
                  TransactionHandler.class,
                  StatementBuilder.class,
                  Connection.class));
    } catch (ReflectiveOperationException e) {
      throw new InboxException(
          "this version of JDBI opens handles in another way than 3.55 does; expected that one, or a"
              + " data source and its configuration: builder(dataSource).jdbi(…)",
          e);
    }
  }

  /** Opens a handle on the given connection; closing the handle leaves the connection open. */
  public Handle open(Connection connection) {
    try {
      return (Handle)
          create.invokeExact(
              jdbi,
              LEFT_OPEN,
              jdbi.getTransactionHandler(),
              jdbi.getStatementBuilderFactory().createStatementBuilder(connection),
              connection);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new InboxException("JDBI opened no handle for a handler", e);
    }
  }
}
