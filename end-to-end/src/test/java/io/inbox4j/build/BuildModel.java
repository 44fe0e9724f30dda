package io.inbox4j.build;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a build declares, in a shape that Maven's files and Gradle's files both fill.
 *
 * @param project group, name and version of the root project
 * @param modules the modules by name
 * @param boms the versions of the imported BOMs by group and artifact
 * @param checks the versions and settings of the static checks by name
 */
record BuildModel(
    String project,
    Map<String, Subproject> modules,
    Map<String, String> boms,
    Map<String, String> checks) {

  BuildModel {
    modules = Map.copyOf(modules);
    boms = Map.copyOf(boms);
    checks = Map.copyOf(checks);
  }

  /** A module with its coordinates ({@code group:artifact:version}) and what it depends on. */
  record Subproject(String coordinates, Set<Dependency> dependencies) {
    Subproject {
      dependencies = Set.copyOf(dependencies);
    }
  }

  /**
   * A declared dependency.
   *
   * @param artifact group and artifact
   * @param version a version, or the words from {@link #managedBy}
   * @param scope where it is visible
   */
  record Dependency(String artifact, String version, Scope scope) {}

  /** Maven's scopes, which Gradle's configurations map to. */
  enum Scope {
    COMPILE,
    PROVIDED,
    RUNTIME,
    TEST;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static final String UNMANAGED = "without a version";

  /**
   * The version of an artifact that is declared without one. A BOM manages the artifacts of its own
   * group and of the groups below, which holds for the BOMs used here and needs no network.
   */
  static String managedBy(Collection<String> boms, String artifact) {
    List<String> managing =
        boms.stream().filter(bom -> isWithin(groupOf(artifact), groupOf(bom))).sorted().toList();
    return managing.isEmpty() ? UNMANAGED : "managed by " + String.join(" and ", managing);
  }

  private static boolean isWithin(String group, String parent) {
    return group.equals(parent) || group.startsWith(parent + ".");
  }

  private static String groupOf(String artifact) {
    return artifact.substring(0, artifact.indexOf(':'));
  }
}
