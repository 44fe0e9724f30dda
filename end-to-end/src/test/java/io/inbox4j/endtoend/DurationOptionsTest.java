package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.SubscriptionOptions;
import io.inbox4j.handler.Postpone;
import io.inbox4j.handler.RetryLater;
import io.inbox4j.internal.receive.ReceiveLimits;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.JdbiInboxStoreBuilder;
import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryDecision;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.OutgoingMessage;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every duration that a user can set has a least and a most that are checked when it is set. */
class DurationOptionsTest {

  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  private static final String NO_DATABASE = "jdbc:postgresql://localhost:1/unused";

  /** Packages whose public types users do not call. */
  private static final Set<String> NOT_FOR_USERS = Set.of("io.inbox4j.store");

  /** What is told to users, or takes whatever it is given. */
  private static final Set<Class<?>> NO_OPTIONS =
      Set.of(
          FailedAttempt.class,
          Backlog.class,
          RetentionReport.class,
          OutboxStatus.class,
          OutgoingMessage.class,
          Inbox.class);

  /** Where nothing at all is a time, too: no delay, no age. */
  private static final Set<Class<?>> FROM_ZERO =
      Set.of(
          RetryPolicy.class,
          RetryLater.class,
          Postpone.class,
          Postpone.When.After.class,
          RetryDecision.RetryAfter.class,
          ReceiveLimits.class,
          MessageFilter.class);

  private static final Map<Class<?>, Supplier<Object>> INSTANCES =
      Map.of(
          InboxBuilder.class, Inbox::builder,
          SubscriptionBuilder.class, DurationOptionsTest::subscription,
          SubscriptionOptions.class, DurationOptionsTest::subscription,
          RetryPolicy.class, RetryPolicy::ofDefaults,
          CircuitBreaker.class, CircuitBreaker::ofDefaults,
          Retention.class, Retention::ofDefaults,
          MessageFilter.class, MessageFilter::all,
          PublishOptions.class, PublishOptions::none,
          JdbiInboxStoreBuilder.class, () -> JdbiInboxStore.builder(NO_DATABASE));

  private static SubscriptionBuilder subscription() {
    AtomicReference<SubscriptionBuilder> made = new AtomicReference<>();
    InboxBuilder builder =
        Inbox.builder()
            .store(JdbiInboxStore.builder(NO_DATABASE).build())
            .subscribe("orders", made::set);
    assertThatThrownBy(builder::build).hasMessageContaining("has no events");
    return Objects.requireNonNull(made.get());
  }

  /** Everything public, on types that users call, that takes a duration and does something. */
  static Stream<Executable> options() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inbox4j")
            .stream()
            .filter(DurationOptionsTest::isForUsers)
            .map(JavaClass::reflect)
            .filter(type -> isPublic(type) && !type.isInterface() && !NO_OPTIONS.contains(type))
            .flatMap(
                type ->
                    Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredConstructors()),
                        Arrays.stream(type.getDeclaredMethods())))
            .filter(it -> Modifier.isPublic(it.getModifiers()) && !it.isSynthetic())
            .filter(it -> List.of(it.getParameterTypes()).contains(Duration.class))
            .filter(it -> !implementsAnInterface(it));
  }

  private static boolean isForUsers(JavaClass type) {
    String name = type.getPackageName();
    return !type.getName().startsWith(InboxListener.class.getName()) // only told to users
        && !NOT_FOR_USERS.contains(name)
        && !name.contains(".internal")
        && Stream.of("testkit", "endtoend", "build", "examples", "benchmarks", "reliability")
            .noneMatch(module -> name.startsWith("io.inbox4j." + module));
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
  }

  /** Such as a listener, which is told durations. */
  private static boolean implementsAnInterface(Executable executable) {
    return executable instanceof Method method
        && Arrays.stream(method.getDeclaringClass().getInterfaces())
            .flatMap(type -> Arrays.stream(type.getMethods()))
            .anyMatch(
                it ->
                    it.getName().equals(method.getName())
                        && Arrays.equals(it.getParameterTypes(), method.getParameterTypes()));
  }

  @Test
  void theOptionsOfAllModulesAreLookedAt() {
    assertThat(options().map(Executable::getName))
        .contains("pollInterval", "handlerTimeout", "leased", "idleTimeout", "closeDeadline")
        .contains("maxTransactionAge", "exponential", "pause", "dedupWindow", "olderThan");
  }

  @Test
  void whatIsTooLongOrTooShortIsRefusedByItsValueAndTheRange() {
    assertThat(options()).allSatisfy(DurationOptionsTest::assertRanged);
  }

  private static void assertRanged(Executable option) {
    assertRefused(option, FOREVER);
    assertRefused(option, Duration.ofDays(365 * 293));
    assertRefused(option, Duration.ofNanos(-1));
    assertRefused(option, Duration.ofSeconds(Long.MIN_VALUE));
    if (!FROM_ZERO.contains(option.getDeclaringClass())
        && !option.getName().equals("maxDelay")
        && !option.getName().equals("delay")) {
      assertRefused(option, Duration.ZERO);
    }
  }

  private static void assertRefused(Executable option, Duration value) {
    assertThat(catchThrowable(() -> set(option, value)))
        .as("%s with %s", option, value)
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(" is " + value + "; expected ");
  }

  private static void set(Executable option, Duration value) throws Throwable {
    Object[] arguments =
        Arrays.stream(option.getParameterTypes()).map(type -> argument(type, value)).toArray();
    try {
      if (option instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        ((Method) option).invoke(target(option), arguments);
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Object target(Executable option) {
    if (Modifier.isStatic(option.getModifiers())) {
      return null;
    }
    Supplier<Object> instance = INSTANCES.get(option.getDeclaringClass());
    if (instance == null) {
      throw new AssertionError("add to INSTANCES how to make a " + option.getDeclaringClass());
    }
    return instance.get();
  }

  private static Object argument(Class<?> type, Duration value) {
    Map<Class<?>, Object> valid =
        Map.of(
            Duration.class,
            value,
            String.class,
            "text",
            double.class,
            0.5,
            int.class,
            10,
            Long.class,
            1L,
            Set.class,
            Set.of(),
            Map.class,
            Map.of(),
            Instant.class,
            Instant.EPOCH,
            Integer.class,
            1);
    Object argument = valid.get(type);
    if (argument == null) {
      throw new AssertionError("add a valid argument of " + type);
    }
    return argument;
  }
}
