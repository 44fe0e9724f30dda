package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import org.junit.jupiter.api.Test;

class BuildParityTest {
  private final BuildFiles project = BuildFiles.ofTheProject();

  @Test
  void mavenAndGradleDeclareTheSameBuild() {
    List<String> differences = project.differences();

    if (!differences.isEmpty()) {
      fail("the two builds differ:\n  " + String.join("\n  ", differences));
    }
  }

  @Test
  void bothBuildsAreReadInFull() {
    for (BuildModel build :
        List.of(MavenBuild.read(project.root()), GradleBuild.read(project.root()))) {
      assertThat(build.modules())
          .containsKeys("inbox-api", "inbox-jdbi", "inbox-rabbitmq", "testkit", "end-to-end");
      assertThat(build.modules().get("inbox-jdbi").dependencies())
          .extracting(BuildModel.Dependency::artifact)
          .contains("io.inbox4j:inbox-api", "org.jdbi:jdbi3-core", "org.assertj:assertj-core");
      assertThat(build.boms()).containsKey("org.junit:junit-bom");
      assertThat(build.checks())
          .containsOnlyKeys(
              "arguments of the tests' JVM",
              "com.google.errorprone:error_prone_core",
              "google-java-format",
              "javac arguments",
              "left out by quick",
              "release");
    }
  }
}
