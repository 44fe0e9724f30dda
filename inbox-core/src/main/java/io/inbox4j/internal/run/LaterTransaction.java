package io.inbox4j.internal.run;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.store.Write;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of a leased handler, which begins only after it has returned: it can be written
 * to, and not be used.
 */
record LaterTransaction(Consumer<EventContext.Effect> effects) implements EventTransaction {

  @Override
  public <T> T unwrap(Class<T> type) {
    throw new IllegalStateException(
        "a leased handler runs outside any transaction; do this in context.commitWith(…), or use a"
            + " connection of your own");
  }

  @Override
  public void write(String statement, @Nullable Object... arguments) {
    Write write = new Write(statement, Arrays.asList(arguments));
    effects.accept(later -> later.write(write.statement(), write.arguments().toArray()));
  }
}
