package io.inbox4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.Settings;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What is in {@code deploy} fits the program, as far as can be seen without an engine. */
class DeploymentTest {

  private static final Path DEPLOY = root().resolve("deploy");

  private final Map<?, ?> compose = (Map<?, ?>) yaml("compose.yaml").get(0);
  private final List<Map<?, ?>> kubernetes =
      yaml("kubernetes.yaml").stream().<Map<?, ?>>map(it -> (Map<?, ?>) it).toList();

  @Test
  void everyVariableIsOneThatTheProgramKnows() throws Exception {
    Set<String> known = new TreeSet<>(Set.of(Settings.variable(Settings.CONFIG)));
    InboxCommand.commandLine()
        .getSubcommands()
        .values()
        .forEach(
            it -> Settings.names(it).forEach(name -> known.add(Settings.variable("--" + name))));
    Set<String> used = new TreeSet<>();
    for (String file : List.of("compose.yaml", "kubernetes.yaml", "Dockerfile")) {
      Matcher name =
          Pattern.compile("INBOX_[A-Z_]+").matcher(Files.readString(DEPLOY.resolve(file)));
      while (name.find()) {
        used.add(name.group());
      }
    }
    assertThat(used).hasSizeGreaterThan(8).isSubsetOf(known);
  }

  @Test
  void everyValueIsOneThatTheProgramTakes() {
    for (Map<String, String> environment : environments()) {
      List<String> args = new ArrayList<>(List.of("run"));
      environment.forEach(
          (name, value) ->
              args.add(
                  "--%s=%s"
                      .formatted(
                          name.substring("INBOX_".length())
                              .toLowerCase(java.util.Locale.ROOT)
                              .replace('_', '-'),
                          value)));
      assertThat(InboxCommand.commandLine().parseArgs(args.toArray(String[]::new)).errors())
          .isEmpty();
    }
  }

  private List<Map<String, String>> environments() {
    List<Map<String, String>> all = new ArrayList<>();
    for (String service : List.of("receiver", "worker")) {
      Map<String, String> values = new LinkedHashMap<>();
      map(compose, "services", service, "environment")
          .forEach((name, value) -> values.put(String.valueOf(name), String.valueOf(value)));
      all.add(values);
    }
    for (Map<?, ?> deployment : kind("Deployment")) {
      Map<String, String> values = new LinkedHashMap<>();
      map(kind("ConfigMap").get(0), "data")
          .forEach((name, value) -> values.put(String.valueOf(name), String.valueOf(value)));
      for (Object it : (List<?>) container(deployment).get("env")) {
        values.put(
            String.valueOf(((Map<?, ?>) it).get("name")),
            String.valueOf(((Map<?, ?>) it).get("value")));
      }
      all.add(values);
    }
    assertThat(all).hasSize(4).allSatisfy(it -> assertThat(it).containsKey("INBOX_ROLE"));
    return all;
  }

  @Test
  void processesHaveMoreTimeToEndThanTheyNeed() {
    Duration deadline =
        new DurationText()
            .convert(
                String.valueOf(map(kind("ConfigMap").get(0), "data").get("INBOX_CLOSE_DEADLINE")));
    for (Map<?, ?> deployment : kind("Deployment")) {
      Object grace =
          map(deployment, "spec", "template", "spec").get("terminationGracePeriodSeconds");
      assertThat(Duration.ofSeconds((Integer) grace)).isGreaterThan(deadline.plusSeconds(5));
    }
    for (String service : List.of("receiver", "worker")) {
      Map<?, ?> it = map(compose, "services", service);
      assertThat(new DurationText().convert(String.valueOf(it.get("stop_grace_period"))))
          .isGreaterThan(
              new DurationText()
                  .convert(String.valueOf(map(it, "environment").get("INBOX_CLOSE_DEADLINE"))));
    }
  }

  @Test
  void probesAskThePortAndThePathsThatAreServed() {
    String port = String.valueOf(map(kind("ConfigMap").get(0), "data").get("INBOX_HTTP_PORT"));
    for (Map<?, ?> deployment : kind("Deployment")) {
      Map<?, ?> container = container(deployment);
      Map<?, ?> served = (Map<?, ?>) ((List<?>) container.get("ports")).get(0);
      assertThat(served.get("containerPort")).hasToString(port);
      assertThat(map(container, "livenessProbe", "httpGet").get("path")).isEqualTo("/health/live");
      assertThat(map(container, "readinessProbe", "httpGet").get("path"))
          .isEqualTo("/health/ready");
      for (String probe : List.of("livenessProbe", "readinessProbe")) {
        assertThat(map(container, probe, "httpGet").get("port")).isEqualTo(served.get("name"));
      }
      assertThat(
              map(deployment, "spec", "template", "metadata", "annotations")
                  .get("prometheus.io/port"))
          .hasToString(port);
    }
  }

  @Test
  void probesReachTheProcessFromOutsideItsContainer() {
    assertThat(environments())
        .allSatisfy(it -> assertThat(it).containsEntry("INBOX_HTTP_ADDRESS", "0.0.0.0"));
  }

  @Test
  void secretsAreFilesThatAreMounted() {
    for (Map<?, ?> deployment : kind("Deployment")) {
      assertThat(container(deployment).get("volumeMounts").toString()).contains("/etc/inbox");
    }
    Map<?, ?> data = map(kind("ConfigMap").get(0), "data");
    assertThat(data.get("INBOX_DATABASE_PASSWORD_FILE").toString()).startsWith("/etc/inbox/");
    assertThat(data.get("INBOX_AMQP_PASSWORD_FILE").toString()).startsWith("/etc/inbox/");
    assertThat(data.toString() + compose).doesNotContain("PASSWORD=").doesNotContain("PASSWORD:");
    for (String service : List.of("receiver", "worker")) {
      Map<?, ?> it = map(compose, "services", service);
      for (String name : List.of("INBOX_DATABASE_PASSWORD_FILE", "INBOX_AMQP_PASSWORD_FILE")) {
        String file = map(it, "environment").get(name).toString();
        assertThat(it.get("secrets").toString()).contains(file.replace("/run/secrets/", ""));
      }
    }
  }

  @Test
  void everyImageIsNamedWithItsVersion() throws Exception {
    Map<?, ?> services = map(compose, "services");
    assertThat(services.values())
        .allSatisfy(
            it -> assertThat(String.valueOf(((Map<?, ?>) it).get("image"))).matches(".+:.*\\d.*"));
    assertThat(map(compose, "services", "worker", "deploy").get("replicas")).isEqualTo(2);
    String dockerfile = Files.readString(DEPLOY.resolve("Dockerfile"));
    assertThat(dockerfile.lines().filter(it -> it.startsWith("FROM ")))
        .hasSize(2)
        .allMatch(it -> it.matches("FROM \\S+:\\S*\\d\\S*( AS \\w+)?"));
    assertThat(dockerfile)
        .contains("USER 10001", InboxCommand.class.getName(), "EXPOSE 8080", "CMD [\"run\"]");
    Matcher copied = Pattern.compile("-f (\\S+)|-pl (\\S+)").matcher(dockerfile);
    while (copied.find()) {
      if (!dockerfile.substring(0, copied.start()).endsWith("docker build ")) {
        String path = copied.group(1) == null ? copied.group(2) : copied.group(1);
        assertThat(root().resolve(path)).exists();
      }
    }
  }

  /** Those that an older Maven would choose by itself do not know Java 17. */
  @Test
  void theServiceNamesTheVersionOfEveryPluginThatItsBuildRuns() throws Exception {
    Map<String, String> ours = plugins(root().resolve("pom.xml"));
    Map<String, String> its = plugins(DEPLOY.resolve("billing/pom.xml"));
    assertThat(its.keySet())
        .containsExactlyInAnyOrder(
            "maven-resources-plugin",
            "maven-compiler-plugin",
            "maven-surefire-plugin",
            "maven-jar-plugin",
            "maven-dependency-plugin");
    assertThat(ours).as("with which this build has been seen to work").containsAllEntriesOf(its);
  }

  private static Map<String, String> plugins(Path pom) throws Exception {
    NodeList all =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getElementsByTagName("plugin");
    Map<String, String> versions = new LinkedHashMap<>();
    for (int i = 0; i < all.getLength(); i++) {
      Element plugin = (Element) all.item(i);
      Node version = plugin.getElementsByTagName("version").item(0);
      if (version != null && version.getParentNode() == plugin) {
        versions.put(
            plugin.getElementsByTagName("artifactId").item(0).getTextContent(),
            version.getTextContent());
      }
    }
    return versions;
  }

  @Test
  void theServiceThatIsDeployedCompilesAndIsFound(@TempDir Path classes) throws Exception {
    Path sources = DEPLOY.resolve("billing/src/main");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter errors = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  errors,
                  files,
                  null,
                  List.of("-d", classes.toString(), "-proc:none", "-cp", classPath()),
                  null,
                  files.getJavaFileObjects(
                      sources.resolve("java/shop/billing/BillingApplication.java")))
              .call();
      assertThat(compiled).as(errors.toString()).isTrue();
    }
    URL[] places = {classes.toUri().toURL(), sources.resolve("resources").toUri().toURL()};
    try (URLClassLoader loader =
        new URLClassLoader(places, InboxApplication.class.getClassLoader())) {
      InboxBuilder builder = Inbox.builder();
      ServiceLoader.load(InboxApplication.class, loader).stream()
          .filter(it -> it.type().getName().equals("shop.billing.BillingApplication"))
          .findFirst()
          .orElseThrow()
          .get()
          .configure(builder);
    }
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private List<Map<?, ?>> kind(String kind) {
    List<Map<?, ?>> found = kubernetes.stream().filter(it -> kind.equals(it.get("kind"))).toList();
    assertThat(found).as(kind).isNotEmpty();
    return found;
  }

  private static Map<?, ?> container(Map<?, ?> deployment) {
    List<?> containers = (List<?>) map(deployment, "spec", "template", "spec").get("containers");
    return (Map<?, ?>) containers.get(0);
  }

  private static Map<?, ?> map(Map<?, ?> in, String... path) {
    Map<?, ?> at = in;
    for (String name : path) {
      at = (Map<?, ?>) at.get(name);
      assertThat(at).as(name).isNotNull();
    }
    return at;
  }

  private static List<Object> yaml(String file) {
    List<Object> documents = new ArrayList<>();
    try {
      new Load(
              LoadSettings.builder()
                  .setSchema(new org.snakeyaml.engine.v2.schema.CoreSchema())
                  .build())
          .loadAllFromString(withMerges(Files.readString(DEPLOY.resolve(file))))
          .forEach(documents::add);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return documents.stream().map(DeploymentTest::merged).toList();
  }

  private static String withMerges(String text) {
    return text.replace("<<:", "merge:");
  }

  /** Compose merges maps by a key that this reader leaves to its caller. */
  private static Object merged(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(DeploymentTest::merged).toList();
    }
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    Map<Object, Object> all = new LinkedHashMap<>();
    if (map.get("merge") instanceof Map<?, ?> base) {
      all.putAll((Map<?, ?>) merged(base));
    }
    map.forEach(
        (name, it) -> {
          if (!name.equals("merge")) {
            all.put(name, merged(it));
          }
        });
    return all;
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
