package io.inbox4j.internal.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.listener.InboxListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SafeListenerTest {

  private final List<String> heard = new ArrayList<>();

  @Test
  void everyListenerHearsWhateverOneThrows() {
    SafeListener listeners =
        new SafeListener(
            List.of(
                throwing(new IllegalStateException("x")),
                throwing(new IOException("not declared")),
                throwing(new AssertionError("y")),
                throwing(new StackOverflowError()),
                throwing(new InternalError("of the virtual machine")),
                throwing(new NoClassDefFoundError("z")),
                hearing()));
    listeners.tell(listener -> listener.connected(new InboxListener.Connected("orders")));
    assertThat(heard).containsExactly("orders");
  }

  @Test
  void anInterruptThatAListenerThrowsIsKeptForWhoCalledIt() {
    SafeListener listeners =
        new SafeListener(List.of(throwing(new InterruptedException("not declared")), hearing()));
    listeners.tell(listener -> listener.connected(new InboxListener.Connected("orders")));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(heard).containsExactly("orders");
  }

  @Test
  void nobodyListensUnlessSomebodyDoes() {
    assertThat(new SafeListener(List.of()).isEmpty()).isTrue();
    assertThat(new SafeListener(List.of(hearing())).isEmpty()).isFalse();
  }

  private InboxListener hearing() {
    return new InboxListener() {
      @Override
      public void connected(Connected event) {
        heard.add(event.endpoint());
      }
    };
  }

  private static InboxListener throwing(Throwable failure) {
    return new InboxListener() {
      @Override
      public void connected(Connected event) {
        Sneaky.raise(failure);
      }
    };
  }
}
