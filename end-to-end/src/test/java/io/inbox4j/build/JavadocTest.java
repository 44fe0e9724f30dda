package io.inbox4j.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavadocTest {

  @TempDir private Path folder;

  @Test
  void theJavadocOfEverythingPublishedBuildsWithoutWarnings() throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-quiet", "-Xdoclint:all,-missing", "-Werror", "-encoding", "UTF-8"));
    arguments.addAll(List.of("-d", folder.toString()));
    arguments.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    Path root = BuildFiles.ofTheProject().root();
    for (String module : DependenciesTest.PUBLISHED) {
      arguments.addAll(sources(root.resolve(module).resolve("src/main/java")));
    }
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output);

    int result =
        ToolProvider.findFirst("javadoc")
            .orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new));

    assertThat(output.toString()).isEmpty();
    assertThat(result).isZero();
  }

  /** All but the declaration of the module: on the class path there are no modules. */
  private static List<String> sources(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(".java") && !file.endsWith("module-info.java"))
          .toList();
    }
  }
}
