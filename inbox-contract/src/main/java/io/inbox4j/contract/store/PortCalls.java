package io.inbox4j.contract.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.WorkTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which methods of the port a run of the contract has called, and which of its parts took part. */
final class PortCalls {

  private static final List<Class<?>> PORT =
      List.of(InboxStore.class, WorkTransaction.class, OutboxReader.class);

  private final Set<String> called = ConcurrentHashMap.newKeySet();
  private final Set<Class<?>> parts = ConcurrentHashMap.newKeySet();

  /** A store that notes what is called, also of its transactions and readers. */
  InboxStore of(ContractPart part, InboxStore store) {
    parts.add(part.getClass());
    return recording(InboxStore.class, store);
  }

  private <T> T recording(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              called.add(signature(type, method));
              try {
                return recorded(method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private @Nullable Object recorded(@Nullable Object result) {
    if (result instanceof WorkTransaction transaction) {
      return recording(WorkTransaction.class, transaction);
    }
    return result instanceof OutboxReader reader ? recording(OutboxReader.class, reader) : result;
  }

  /** Fails if all parts of the contract took part, but some method was not called. */
  void requireAll(Class<?> contract) {
    if (parts.containsAll(partsOf(contract))) {
      Set<String> methods =
          PORT.stream()
              .flatMap(
                  type ->
                      Arrays.stream(type.getMethods())
                          .filter(method -> !Modifier.isStatic(method.getModifiers()))
                          .map(method -> signature(type, method)))
              .collect(Collectors.toSet());
      methods.removeAll(called);
      assertThat(methods).as("methods of the port that the contract does not exercise").isEmpty();
    }
  }

  private static Set<Class<?>> partsOf(Class<?> contract) {
    Set<Class<?>> parts = new HashSet<>();
    for (Class<?> nested : contract.getDeclaredClasses()) {
      if (ContractPart.class.isAssignableFrom(nested)) {
        parts.add(nested);
      }
      parts.addAll(partsOf(nested));
    }
    return parts;
  }

  private static String signature(Class<?> type, Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(", ", type.getSimpleName() + "." + method.getName() + "(", ")"));
  }
}
