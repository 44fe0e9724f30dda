package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlantedDifferenceTest {
  private static final String ANY_MAIN_SCOPE = "(api|implementation)";

  @TempDir private Path folder;
  private BuildFiles files;
  private List<String> before;

  @BeforeEach
  void copyTheBuild() throws IOException {
    files = BuildFiles.ofTheProject().copyTo(folder);
    before = files.differences();
  }

  @Test
  void aModuleMissingInGradleIsReported() throws IOException {
    files.replace("settings.gradle.kts", "\\s*\"benchmarks\",", "");

    assertThat(planted()).containsExactly("module benchmarks is missing in Gradle");
  }

  @Test
  void aModuleMissingInMavenIsReported() throws IOException {
    files.replace("pom.xml", "<module>benchmarks</module>", "");

    assertThat(planted()).containsExactly("module benchmarks is missing in Maven");
  }

  @Test
  void anotherScopeIsReported() throws IOException {
    files.replace(
        "inbox-jdbi/build.gradle.kts",
        ANY_MAIN_SCOPE + "\\(libs\\.slf4j\\.api\\)",
        "runtimeOnly(libs.slf4j.api)");

    assertThat(planted())
        .containsExactly("inbox-jdbi: org.slf4j:slf4j-api is compile in Maven, runtime in Gradle");
  }

  @Test
  void anotherScopeInMavenIsReported() throws IOException {
    files.replace(
        "inbox-jdbi/pom.xml",
        "<artifactId>slf4j-api</artifactId>",
        "<artifactId>slf4j-api</artifactId><scope>test</scope>");

    assertThat(planted())
        .containsExactly("inbox-jdbi: org.slf4j:slf4j-api is test in Maven, compile in Gradle");
  }

  @Test
  void anotherVersionInOneModuleIsReported() throws IOException {
    files.replace(
        "inbox-api/pom.xml",
        "<artifactId>jspecify</artifactId>",
        "<artifactId>jspecify</artifactId><version>0.0.1</version>");

    assertThat(planted())
        .singleElement()
        .asString()
        .startsWith("inbox-api: org.jspecify:jspecify is 0.0.1 in Maven, ");
  }

  @Test
  void anotherVersionInTheCatalogIsReportedForEveryModuleThatUsesIt() throws IOException {
    files.replace("gradle/libs.versions.toml", "jspecify = \"[^\"]+\"", "jspecify = \"0.0.1\"");

    assertThat(planted())
        .anyMatch(difference -> difference.startsWith("inbox-jdbi: "))
        .allMatch(difference -> difference.contains(": org.jspecify:jspecify is "))
        .allMatch(difference -> difference.endsWith(" in Maven, 0.0.1 in Gradle"));
  }

  @Test
  void anotherCoordinateIsReportedOnBothSides() throws IOException {
    files.replace(
        "inbox-core/pom.xml",
        "<artifactId>slf4j-api</artifactId>",
        "<artifactId>slf4j-ext</artifactId><version>2.0.0</version>");

    assertThat(planted())
        .containsExactly(
            "inbox-core: org.slf4j:slf4j-api is missing in Maven, compile in Gradle",
            "inbox-core: org.slf4j:slf4j-ext is compile in Maven, missing in Gradle");
  }

  @Test
  void anExtraDependencyIsReported() throws IOException {
    files.replace(
        "inbox-api/build.gradle.kts",
        "dependencies \\{",
        "dependencies {\n    implementation(libs.hikaricp)");

    assertThat(planted())
        .containsExactly("inbox-api: com.zaxxer:HikariCP is missing in Maven, compile in Gradle");
  }

  @Test
  void aMissingDependencyOnAModuleIsReported() throws IOException {
    files.replace(
        "inbox-rabbitmq/build.gradle.kts",
        ANY_MAIN_SCOPE + "\\(project\\(\":inbox-api\"\\)\\)",
        "");

    assertThat(planted())
        .containsExactly(
            "inbox-rabbitmq: io.inbox4j:inbox-api is compile in Maven, missing in Gradle");
  }

  @Test
  void anotherVersionOfABomIsReportedOnce() throws IOException {
    files.replace("gradle/libs.versions.toml", "junit = \"[^\"]+\"", "junit = \"0.0.1\"");

    assertThat(planted())
        .singleElement()
        .asString()
        .matches("BOM org.junit:junit-bom is [\\d.]+ in Maven, 0.0.1 in Gradle");
  }

  @Test
  void aDependencyThatNoPlatformReachesIsReported() throws IOException {
    files.replace(
        "inbox-api/build.gradle.kts",
        "testImplementation\\(libs\\.junit\\.jupiter\\.api\\)",
        "implementation(libs.junit.jupiter.api)");

    assertThat(planted())
        .containsExactly(
            "inbox-api: org.junit.jupiter:junit-jupiter-api is test in Maven, compile in Gradle",
            "inbox-api: org.junit.jupiter:junit-jupiter-api is managed by org.junit:junit-bom"
                + " in Maven, without a version in Gradle");
  }

  @Test
  void anotherVersionOfTheFormatterIsReported() throws IOException {
    files.replace(
        "gradle/libs.versions.toml",
        "google-java-format = \"[^\"]+\"",
        "google-java-format = \"0.0.1\"");

    assertThat(planted())
        .singleElement()
        .asString()
        .matches("check google-java-format is [\\d.]+ in Maven, 0.0.1 in Gradle");
  }

  @Test
  void anotherTagThatQuickLeavesOutIsReported() throws IOException {
    files.replace("build.gradle.kts", "excludeTags\\(\"slow\"\\)", "excludeTags(\"long\")");

    assertThat(planted())
        .containsExactly("check left out by quick is slow in Maven, long in Gradle");
  }

  @Test
  void anotherVersionOfErrorProneIsReported() throws IOException {
    files.replace("pom.xml", "<errorprone.version>[^<]+", "<errorprone.version>0.0.1");

    assertThat(planted())
        .singleElement()
        .asString()
        .startsWith("check com.google.errorprone:error_prone_core is 0.0.1 in Maven, ");
  }

  @Test
  void aCompilerThatForgivesWarningsIsReported() throws IOException {
    files.replace("build.gradle.kts", "\"-Werror\",", "");

    assertThat(planted()).singleElement().asString().startsWith("check javac arguments is ");
  }

  @Test
  void anotherVersionOfTheProjectIsReported() throws IOException {
    files.replace("build.gradle.kts", "version = \"[^\"]+\"", "version = \"9.9.9\"");

    assertThat(planted())
        .isNotEmpty()
        .allMatch(difference -> difference.contains("9.9.9 in Gradle"));
  }

  private List<String> planted() {
    List<String> after = new ArrayList<>(files.differences());
    after.removeAll(before);
    return after;
  }
}
