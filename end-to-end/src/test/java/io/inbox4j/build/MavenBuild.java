package io.inbox4j.build;

import io.inbox4j.build.BuildModel.Dependency;
import io.inbox4j.build.BuildModel.Scope;
import io.inbox4j.build.BuildModel.Subproject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the parent POM and the POMs of the modules. */
final class MavenBuild {
  private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
  private static final String ERROR_PRONE = "-Xplugin:ErrorProne";

  /** Error Prone needs them of javac; Gradle's Error Prone plugin passes them by itself. */
  private static final Set<String> PASSED_BY_THE_GRADLE_PLUGIN =
      Set.of("-XDcompilePolicy=simple", "--should-stop=ifError=FLOW");

  private final Path root;
  private final PomElement parent;
  private final Map<String, String> properties = new HashMap<>();
  private final Map<String, String> boms = new HashMap<>();
  private final Map<String, PomElement> managed = new HashMap<>();

  private MavenBuild(Path root) {
    this.root = root;
    this.parent = PomElement.read(root.resolve("pom.xml"));
    properties.put("project.groupId", parent.required("groupId"));
    properties.put("project.version", parent.required("version"));
    parent.at("properties").stream()
        .flatMap(all -> all.children().stream())
        .forEach(property -> properties.put(property.name(), property.text()));
    for (PomElement entry : parent.at("dependencyManagement", "dependencies", "dependency")) {
      if (entry.text("scope").equals(Optional.of("import"))) {
        boms.put(artifact(entry), value(entry, entry.required("version")));
      } else {
        managed.put(artifact(entry), entry);
      }
    }
  }

  static BuildModel read(Path root) {
    return new MavenBuild(root).model();
  }

  private BuildModel model() {
    refuseWhatIsNotCompared(parent);
    Map<String, Subproject> modules = new HashMap<>();
    for (PomElement module : parent.at("modules", "module")) {
      PomElement pom = PomElement.read(root.resolve(module.text()).resolve("pom.xml"));
      modules.put(pom.required("artifactId"), module(pom));
    }
    return new BuildModel(coordinates(parent), modules, boms, checks());
  }

  private Subproject module(PomElement pom) {
    refuseWhatIsNotCompared(pom);
    if (pom.hasDescendant("annotationProcessorPaths")) {
      throw new UnreadableBuildFileException(pom.file(), "annotation processors of its own");
    }
    boolean overrides =
        pom.at("properties").stream()
            .flatMap(all -> all.children().stream())
            .anyMatch(property -> properties.containsKey(property.name()));
    boolean isBom = pom.text("packaging").equals(Optional.of("pom"));
    if (overrides || (!isBom && !pom.at("dependencyManagement").isEmpty())) {
      throw new UnreadableBuildFileException(pom.file(), "versions belong in the parent POM");
    }
    Set<Dependency> dependencies = new HashSet<>();
    if (isBom) {
      for (PomElement entry : pom.at("dependencyManagement", "dependencies", "dependency")) {
        dependencies.add(dependency(entry));
      }
      return new Subproject(coordinates(pom), dependencies);
    }
    for (PomElement source : List.of(parent, pom)) {
      for (PomElement dependency : source.at("dependencies", "dependency")) {
        dependencies.add(dependency(dependency));
      }
    }
    return new Subproject(coordinates(pom), dependencies);
  }

  private Dependency dependency(PomElement element) {
    String artifact = artifact(element);
    for (String unknown : List.of("type", "classifier", "optional", "systemPath")) {
      if (element.text(unknown).isPresent()) {
        throw new UnreadableBuildFileException(
            element.file(), "the " + unknown + " of " + artifact + " is not compared");
      }
    }
    Optional<PomElement> entry = Optional.ofNullable(managed.get(artifact));
    String version =
        element
            .text("version")
            .or(() -> entry.map(managedEntry -> managedEntry.required("version")))
            .map(raw -> value(element, raw))
            .orElseGet(() -> BuildModel.managedBy(boms.keySet(), artifact));
    if (version.equals(BuildModel.UNMANAGED)) {
      throw new UnreadableBuildFileException(
          element.file(), artifact + " has no version and is in no group of a BOM");
    }
    String scope =
        element
            .text("scope")
            .or(() -> entry.flatMap(managedEntry -> managedEntry.text("scope")))
            .orElse("compile");
    return new Dependency(artifact, version, scope(element, scope));
  }

  private Map<String, String> checks() {
    Map<String, String> checks = new HashMap<>();
    checks.put("release", properties.getOrDefault("maven.compiler.release", "missing"));
    PomElement compiler = configuration("maven-compiler-plugin");
    for (PomElement path : compiler.at("annotationProcessorPaths", "path")) {
      checks.put(artifact(path), value(path, path.required("version")));
    }
    checks.put("javac arguments", javacArguments(compiler).toString());
    checks.put("arguments of the tests' JVM", properties.getOrDefault("argLine", "missing"));
    parent
        .at("profiles", "profile", "properties", "excludedGroups")
        .forEach(tag -> checks.put("left out by quick", tag.text()));
    PomElement spotless = configuration("spotless-maven-plugin");
    checks.put(
        "google-java-format",
        value(spotless, spotless.required("java", "googleJavaFormat", "version")));
    return checks;
  }

  private static Set<String> javacArguments(PomElement compiler) {
    Set<String> arguments = new TreeSet<>();
    if (compiler.text("parameters").equals(Optional.of("true"))) {
      arguments.add("-parameters");
    }
    for (PomElement argument : compiler.at("compilerArgs", "arg")) {
      if (argument.text().startsWith(ERROR_PRONE)) {
        Pattern.compile("\\s+")
            .splitAsStream(argument.text())
            .filter(part -> !part.equals(ERROR_PRONE))
            .forEach(arguments::add);
      } else if (!PASSED_BY_THE_GRADLE_PLUGIN.contains(argument.text())) {
        arguments.add(argument.text());
      }
    }
    return arguments;
  }

  private PomElement configuration(String plugin) {
    return parent.at("build", "plugins", "plugin").stream()
        .filter(candidate -> candidate.required("artifactId").equals(plugin))
        .flatMap(candidate -> candidate.at("configuration").stream())
        .findFirst()
        .orElseThrow(
            () -> new UnreadableBuildFileException(parent.file(), "no settings for " + plugin));
  }

  private static void refuseWhatIsNotCompared(PomElement pom) {
    for (PomElement profile : pom.at("profiles", "profile")) {
      if (profile.hasDescendant("dependency") || profile.hasDescendant("module")) {
        throw new UnreadableBuildFileException(
            pom.file(), "a profile with dependencies or modules is not compared");
      }
    }
  }

  private String coordinates(PomElement pom) {
    List<String> parts = new ArrayList<>();
    parts.add(pom.text("groupId").orElseGet(() -> pom.required("parent", "groupId")));
    parts.add(pom.required("artifactId"));
    parts.add(pom.text("version").orElseGet(() -> pom.required("parent", "version")));
    return value(pom, String.join(":", parts));
  }

  private String artifact(PomElement element) {
    return value(element, element.required("groupId") + ":" + element.required("artifactId"));
  }

  private String value(PomElement where, String raw) {
    Matcher reference = PROPERTY.matcher(raw);
    return reference.replaceAll(
        match -> {
          String value = properties.get(match.group(1));
          if (value == null) {
            throw new UnreadableBuildFileException(where.file(), "unknown property " + raw);
          }
          return Matcher.quoteReplacement(value);
        });
  }

  private static Scope scope(PomElement where, String scope) {
    return switch (scope) {
      case "compile" -> Scope.COMPILE;
      case "provided" -> Scope.PROVIDED;
      case "runtime" -> Scope.RUNTIME;
      case "test" -> Scope.TEST;
      default -> throw new UnreadableBuildFileException(where.file(), "unknown scope " + scope);
    };
  }
}
