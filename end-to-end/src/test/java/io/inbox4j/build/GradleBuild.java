package io.inbox4j.build;

import io.inbox4j.build.BuildModel.Dependency;
import io.inbox4j.build.BuildModel.Scope;
import io.inbox4j.build.BuildModel.Subproject;
import io.inbox4j.build.KotlinScript.Call;
import io.inbox4j.build.VersionCatalog.Library;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the settings, the version catalog, the root script and the scripts of the modules. */
final class GradleBuild {
  private static final String CATALOG = "(?:rootProject\\.)?libs\\.";
  private static final Pattern INCLUDE =
      Pattern.compile("\\binclude\\(((?:\\s*\":?[\\w-]+\"\\s*,?)+)\\s*\\)");
  private static final Pattern ANY_INCLUDE = Pattern.compile("\\binclude\\w*");
  private static final Pattern QUOTED = Pattern.compile("\":?([^\"]+)\"");
  private static final Pattern LIBRARY = Pattern.compile(CATALOG + "([\\w.]+)");
  private static final Pattern PLATFORM = Pattern.compile("platform\\(" + CATALOG + "([\\w.]+)\\)");
  private static final Pattern PROJECT = Pattern.compile("project\\(\":([\\w-]+)\"\\)");
  private static final Pattern RELEASE = Pattern.compile("options\\.release\\s*=\\s*(\\d+)");
  private static final Pattern FORMATTER =
      Pattern.compile("googleJavaFormat\\(" + CATALOG + "versions\\.([\\w.]+)\\.get\\(\\)\\)");
  private static final Pattern LEFT_OUT = Pattern.compile("excludeTags\\(\"([^\"]+)\"\\)");
  private static final Pattern ARGUMENT = Pattern.compile("\"(-[^\"]+)\"");
  private static final Pattern OF_THE_JVM = Pattern.compile("jvmArgs\\((.*)\\)");

  /** The root script adds it to every module; with Maven it comes with Surefire. */
  private static final String LAUNCHER = "org.junit.platform:junit-platform-launcher";

  private final Path root;
  private final KotlinScript settings;
  private final KotlinScript script;
  private final VersionCatalog catalog;
  private final Set<String> names;
  private final Map<String, String> boms = new HashMap<>();
  private final Map<String, String> checks = new HashMap<>();

  private GradleBuild(Path root) {
    this.root = root;
    this.settings = KotlinScript.read(root.resolve("settings.gradle.kts"));
    this.script = KotlinScript.read(root.resolve("build.gradle.kts"));
    this.catalog = VersionCatalog.read(root.resolve("gradle/libs.versions.toml"));
    this.names = included(settings);
  }

  static BuildModel read(Path root) {
    return new GradleBuild(root).model();
  }

  private BuildModel model() {
    Map<String, Subproject> modules = new HashMap<>();
    for (String name : names) {
      modules.put(name, module(name));
    }
    readChecks();
    String name = required(settings, settings.assigned("rootProject.name"), "rootProject.name");
    return new BuildModel(coordinates(name), modules, boms, checks);
  }

  private static Set<String> included(KotlinScript settings) {
    String text = String.join("\n", settings.lines());
    Set<String> names = new TreeSet<>();
    String rest =
        INCLUDE
            .matcher(text)
            .replaceAll(
                include -> {
                  QUOTED.matcher(include.group(1)).results().forEach(q -> names.add(q.group(1)));
                  return "";
                });
    if (names.isEmpty() || ANY_INCLUDE.matcher(rest).find()) {
      throw new UnreadableBuildFileException(settings.file(), "an include is not understood");
    }
    return names;
  }

  private Subproject module(String name) {
    KotlinScript own = KotlinScript.read(root.resolve(name).resolve("build.gradle.kts"));
    if (own.assigned("group").isPresent() || own.assigned("version").isPresent()) {
      throw new UnreadableBuildFileException(own.file(), "group and version are the root's");
    }
    Map<String, Scope> platforms = new HashMap<>();
    for (KotlinScript source : List.of(script, own)) {
      for (Call call : source.dependencies()) {
        Matcher platform = PLATFORM.matcher(call.argument());
        if (platform.matches()) {
          Library bom = library(source, call, platform.group(1));
          boms.put(bom.artifact(), bom.version().orElse(BuildModel.UNMANAGED));
          platforms.merge(bom.artifact(), scope(source, call), GradleBuild::wider);
        }
      }
    }
    Set<Dependency> dependencies = new HashSet<>();
    for (Call call : own.dependencies()) {
      dependency(own, call, platforms).ifPresent(dependencies::add);
    }
    for (Call call : own.isPlatform() ? List.<Call>of() : script.dependencies()) {
      if (!call.configuration().equals("errorprone")) {
        dependency(script, call, platforms)
            .filter(dependency -> !dependency.artifact().equals(LAUNCHER))
            .ifPresent(dependencies::add);
      }
    }
    return new Subproject(coordinates(name), dependencies);
  }

  private Optional<Dependency> dependency(
      KotlinScript source, Call call, Map<String, Scope> platforms) {
    Matcher library = LIBRARY.matcher(call.argument());
    Matcher project = PROJECT.matcher(call.argument());
    Scope scope = scope(source, call);
    if (library.matches()) {
      Library found = library(source, call, library.group(1));
      Set<String> reaching = new TreeSet<>(platforms.keySet());
      reaching.removeIf(bom -> !reaches(platforms.get(bom), scope));
      String version =
          found.version().orElseGet(() -> BuildModel.managedBy(reaching, found.artifact()));
      return Optional.of(new Dependency(found.artifact(), version, scope));
    } else if (project.matches() && names.contains(project.group(1))) {
      String coordinates = coordinates(project.group(1));
      int version = coordinates.lastIndexOf(':');
      return Optional.of(
          new Dependency(
              coordinates.substring(0, version), coordinates.substring(version + 1), scope));
    } else if (PLATFORM.matcher(call.argument()).matches()) {
      return Optional.empty();
    }
    throw source.notUnderstood(call.line());
  }

  /** A platform in the tests' configurations gives no version to what is compiled or shipped. */
  private static boolean reaches(Scope platform, Scope dependency) {
    return platform == Scope.COMPILE || platform == dependency;
  }

  private static Scope wider(Scope left, Scope right) {
    return left == Scope.COMPILE ? left : right;
  }

  private Library library(KotlinScript source, Call call, String name) {
    return Optional.ofNullable(catalog.libraries().get(name))
        .orElseThrow(() -> source.notUnderstood(call.line()));
  }

  private static Scope scope(KotlinScript source, Call call) {
    return switch (call.configuration()) {
      case "api", "implementation" -> Scope.COMPILE;
      case "compileOnly" -> Scope.PROVIDED;
      case "runtimeOnly" -> Scope.RUNTIME;
      case "testImplementation", "testRuntimeOnly" -> Scope.TEST;
      default -> throw source.notUnderstood(call.line());
    };
  }

  private void readChecks() {
    for (Call call : script.dependencies()) {
      if (call.configuration().equals("errorprone")) {
        Matcher library = LIBRARY.matcher(call.argument());
        if (!library.matches()) {
          throw script.notUnderstood(call.line());
        }
        Library found = library(script, call, library.group(1));
        checks.put(found.artifact(), found.version().orElse(BuildModel.UNMANAGED));
      }
    }
    script.find(RELEASE).ifPresent(release -> checks.put("release", release.group(1)));
    script
        .find(FORMATTER)
        .map(formatter -> catalog.versions().get(formatter.group(1)))
        .ifPresent(version -> checks.put("google-java-format", version));
    script.find(LEFT_OUT).ifPresent(tag -> checks.put("left out by quick", tag.group(1)));
    Set<String> arguments = new TreeSet<>();
    for (String line : script.lines()) {
      Matcher jvm = OF_THE_JVM.matcher(line);
      if (jvm.find()) {
        checks.put("arguments of the tests' JVM", jvm.group(1).replaceAll("[\",]", ""));
      } else {
        ARGUMENT.matcher(line).results().forEach(argument -> arguments.add(argument.group(1)));
      }
    }
    checks.put("javac arguments", arguments.toString());
  }

  private String coordinates(String name) {
    String group = required(script, script.assigned("group"), "group");
    String version = required(script, script.assigned("version"), "version");
    return group + ":" + name + ":" + version;
  }

  private static String required(KotlinScript source, Optional<String> value, String what) {
    return value.orElseThrow(
        () -> new UnreadableBuildFileException(source.file(), "no " + what + " is assigned"));
  }
}
