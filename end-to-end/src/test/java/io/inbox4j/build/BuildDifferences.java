package io.inbox4j.build;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import io.inbox4j.build.BuildModel.Dependency;
import io.inbox4j.build.BuildModel.Subproject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** What differs between the Maven build and the Gradle build, one readable sentence each. */
final class BuildDifferences {
  private final List<String> found = new ArrayList<>();

  private BuildDifferences() {}

  static List<String> between(BuildModel maven, BuildModel gradle) {
    BuildDifferences differences = new BuildDifferences();
    differences.compare("the project", maven.project(), gradle.project());
    differences.compareModules(maven.modules(), gradle.modules());
    differences.compareNamed("BOM ", maven.boms(), gradle.boms());
    differences.compareNamed("check ", maven.checks(), gradle.checks());
    return List.copyOf(differences.found);
  }

  private void compareModules(Map<String, Subproject> maven, Map<String, Subproject> gradle) {
    for (String name : union(maven.keySet(), gradle.keySet())) {
      if (!maven.containsKey(name)) {
        found.add("module " + name + " is missing in Maven");
      } else if (!gradle.containsKey(name)) {
        found.add("module " + name + " is missing in Gradle");
      } else {
        Subproject inMaven = maven.get(name);
        Subproject inGradle = gradle.get(name);
        compare("module " + name, inMaven.coordinates(), inGradle.coordinates());
        compareDependencies(name, inMaven.dependencies(), inGradle.dependencies());
      }
    }
  }

  private void compareDependencies(String module, Set<Dependency> maven, Set<Dependency> gradle) {
    Map<String, List<Dependency>> inMaven = byArtifact(maven);
    Map<String, List<Dependency>> inGradle = byArtifact(gradle);
    for (String artifact : union(inMaven.keySet(), inGradle.keySet())) {
      List<Dependency> left = inMaven.getOrDefault(artifact, List.of());
      List<Dependency> right = inGradle.getOrDefault(artifact, List.of());
      String what = module + ": " + artifact;
      compare(what, describe(left, Dependency::scope), describe(right, Dependency::scope));
      if (!left.isEmpty() && !right.isEmpty()) {
        compare(what, describe(left, Dependency::version), describe(right, Dependency::version));
      }
    }
  }

  private void compareNamed(String kind, Map<String, String> maven, Map<String, String> gradle) {
    for (String name : union(maven.keySet(), gradle.keySet())) {
      compare(
          kind + name, maven.getOrDefault(name, "missing"), gradle.getOrDefault(name, "missing"));
    }
  }

  private void compare(String what, String maven, String gradle) {
    if (!maven.equals(gradle)) {
      found.add("%s is %s in Maven, %s in Gradle".formatted(what, maven, gradle));
    }
  }

  private static Map<String, List<Dependency>> byArtifact(Set<Dependency> dependencies) {
    return dependencies.stream().collect(groupingBy(Dependency::artifact));
  }

  private static String describe(
      List<Dependency> dependencies, Function<Dependency, Object> property) {
    return dependencies.isEmpty()
        ? "missing"
        : dependencies.stream()
            .map(property)
            .map(Object::toString)
            .distinct()
            .sorted()
            .collect(joining(" and "));
  }

  private static Set<String> union(Set<String> left, Set<String> right) {
    Set<String> all = new TreeSet<>(left);
    all.addAll(right);
    return all;
  }
}
