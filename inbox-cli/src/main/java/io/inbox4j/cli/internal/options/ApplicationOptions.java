package io.inbox4j.cli.internal.options;

import io.inbox4j.cli.application.InboxApplication;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that selects the application whose handlers run. */
public final class ApplicationOptions {

  @Option(
      names = "--application",
      paramLabel = "CLASS",
      description = "the InboxApplication to run; needed unless META-INF/services names one only")
  private @Nullable String name;

  /** The named application, or the only one. */
  public InboxApplication application() {
    return name == null ? only() : named(name);
  }

  /**
   * The named application, or the only one; empty if none was named and there is not exactly one.
   */
  public Optional<InboxApplication> applicationIfAny() {
    return name == null && services().size() != 1 ? Optional.empty() : Optional.of(application());
  }

  private static List<ServiceLoader.Provider<InboxApplication>> services() {
    return ServiceLoader.load(InboxApplication.class).stream().toList();
  }

  private static InboxApplication only() {
    List<ServiceLoader.Provider<InboxApplication>> all = services();
    if (all.size() != 1) {
      throw new UsageException(
          all.isEmpty()
              ? "there is no application on the class path; expected --application with the name of a"
                  + " class, or a class named in META-INF/services/"
                  + InboxApplication.class.getName()
              : "there are several applications; expected --application with one of: "
                  + names(all));
    }
    return all.get(0).get();
  }

  private static InboxApplication named(String name) {
    try {
      return Class.forName(name).asSubclass(InboxApplication.class).getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw refusal(name, "a class that is on the class path");
    } catch (ClassCastException e) {
      throw refusal(name, "a class that implements " + InboxApplication.class.getName());
    } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
      throw refusal(name, "a public class with a public constructor that has no arguments");
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(
          "%s could not be created: %s".formatted(name, e.getCause()), e.getCause());
    }
  }

  private static UsageException refusal(String name, String expected) {
    List<ServiceLoader.Provider<InboxApplication>> all = services();
    String known = all.isEmpty() ? "" : "; META-INF/services names: " + names(all);
    return new UsageException(
        "--application is '%s'; expected %s%s".formatted(name, expected, known));
  }

  private static String names(List<ServiceLoader.Provider<InboxApplication>> all) {
    return all.stream().map(it -> it.type().getName()).sorted().collect(Collectors.joining(", "));
  }
}
