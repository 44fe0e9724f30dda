package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnreadableBuildFileTest {
  private static final String SCRIPT = "inbox-core/build.gradle.kts";

  @TempDir private Path folder;
  private BuildFiles files;

  @BeforeEach
  void copyTheBuild() throws IOException {
    files = BuildFiles.ofTheProject().copyTo(folder);
  }

  @Test
  void aDependencyLineOfAnUnknownFormIsRefusedWithItsFileAndLine() throws IOException {
    files.replace(SCRIPT, "(?s)^.*", "\ndependencies {\n    implementation(kotlin(\"stdlib\"))\n}");

    assertThatThrownBy(files::differences)
        .isInstanceOf(UnreadableBuildFileException.class)
        .hasMessageContaining("build.gradle.kts:3: ")
        .hasMessageContaining("implementation(kotlin(\"stdlib\"))");
  }

  @Test
  void everythingElseThatMayBringDependenciesIsRefused() throws IOException {
    refuses("api(libs.no.such.library)");
    refuses("api(project(\":no-such-module\"))");
    refuses("annotationProcessor(libs.slf4j.api)");
    refuses("implementation(enforcedPlatform(libs.junit.bom))");
    refuses("implementation(libs.slf4j.api) { isTransitive = false }");
    refuses("constraints {");
    refuses("implementation(");
    refuses("add(\"api\", libs.slf4j.api)");
    refuses("}\ndependencies.add(\"api\", libs.slf4j.api)\ndependencies {");
    refuses("}\napply(from = \"more.gradle.kts\")\ndependencies {");
  }

  @Test
  void commentsAndExclusionsAreNoDifference() throws IOException {
    files.replace(
        SCRIPT,
        "dependencies \\{",
        """
        /* one
           two */
        dependencies {
            // api(libs.hikaricp)
            implementation(libs.slf4j.api) { exclude(group = "a", module = "b") }
            implementation(libs.slf4j.api) { // why
                exclude(group = "a")
            }
        """);

    assertThat(files.differences()).isEqualTo(BuildFiles.ofTheProject().differences());
  }

  @Test
  void anIncludeOfAnUnknownFormIsRefused() throws IOException {
    files.replace("settings.gradle.kts", "include\\(", "includeBuild(\"../other\")\ninclude(");

    assertThatThrownBy(files::differences).hasMessageContaining("settings.gradle.kts");
  }

  @Test
  void aCatalogLineOfAnUnknownFormIsRefusedWithItsFileAndLine() throws IOException {
    files.replace(
        "gradle/libs.versions.toml",
        "(?s)^.*",
        "[libraries]\nslf4j-api = { module = \"org.slf4j:slf4j-api\", version = { strictly = \"2\" } }");

    assertThatThrownBy(files::differences).hasMessageContaining("libs.versions.toml:2: ");
  }

  @Test
  void aMavenDependencyWithAClassifierIsRefused() throws IOException {
    files.replace(
        "inbox-core/pom.xml",
        "<artifactId>slf4j-api</artifactId>",
        "<artifactId>slf4j-api</artifactId><classifier>tests</classifier>");

    assertThatThrownBy(files::differences)
        .hasMessageContaining("pom.xml: the classifier of org.slf4j:slf4j-api is not compared");
  }

  @Test
  void aMavenProfileWithDependenciesIsRefused() throws IOException {
    files.replace(
        "inbox-core/pom.xml",
        "</project>",
        "<profiles><profile><dependencies><dependency/></dependencies></profile></profiles></project>");

    assertThatThrownBy(files::differences).hasMessageContaining("a profile with dependencies");
  }

  private void refuses(String line) throws IOException {
    files.replace(SCRIPT, "(?s)^.*", "dependencies {\n" + line + "\n}");

    assertThatThrownBy(files::differences)
        .as(line)
        .isInstanceOf(UnreadableBuildFileException.class)
        .hasMessageContaining(SCRIPT);
  }
}
