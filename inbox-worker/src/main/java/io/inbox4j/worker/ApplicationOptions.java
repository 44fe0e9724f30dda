package io.inbox4j.worker;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whose handlers run. */
final class ApplicationOptions {

  @Option(
      names = "--application",
      paramLabel = "CLASS",
      description = "which InboxApplication of the class path is meant, if there are several")
  private @Nullable String name;

  /** The application that was named, or the only one. */
  InboxApplication application() {
    List<ServiceLoader.Provider<InboxApplication>> all =
        ServiceLoader.load(InboxApplication.class).stream().toList();
    String names =
        all.stream().map(it -> it.type().getName()).sorted().collect(Collectors.joining(", "));
    if (name != null) {
      Optional<ServiceLoader.Provider<InboxApplication>> named =
          all.stream().filter(it -> it.type().getName().equals(name)).findFirst();
      return named
          .orElseThrow(
              () ->
                  new UsageException(
                      "--application is '%s'; expected one that META-INF/services names: %s"
                          .formatted(name, names.isEmpty() ? "there is none" : names)))
          .get();
    }
    if (all.size() != 1) {
      throw new UsageException(
          all.isEmpty()
              ? "there is no application on the class path; expected a class named in"
                  + " META-INF/services/"
                  + InboxApplication.class.getName()
              : "there are several applications; expected --application with one of: " + names);
    }
    return all.get(0).get();
  }
}
