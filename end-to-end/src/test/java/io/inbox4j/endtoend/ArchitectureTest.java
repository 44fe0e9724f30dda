package io.inbox4j.endtoend;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.inbox4j.Inbox;
import io.inbox4j.cli.InboxCommand;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.cli.internal.commands.CompletionCommand;
import io.inbox4j.cli.internal.options.ApplicationOptions;
import io.inbox4j.contract.store.InboxStoreContract;
import io.inbox4j.internal.health.HealthMonitor;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.JdbiInboxStoreBuilder;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.micrometer.InboxMetrics;
import io.inbox4j.opentelemetry.InboxTracing;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.rabbitmq.TopologyException;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  /** The packages of inbox-api. */
  private static final String[] API = {
    "io.inbox4j.error",
    "io.inbox4j.event",
    "io.inbox4j.handler",
    "io.inbox4j.internal",
    "io.inbox4j.listener",
    "io.inbox4j.publish",
    "io.inbox4j.retry"
  };

  private static final String STORE = "io.inbox4j.jdbi..";
  private static final String TRANSPORT = "io.inbox4j.rabbitmq..";
  private static final String CONTRACT = "io.inbox4j.contract..";
  private static final String METRICS = "io.inbox4j.micrometer..";
  private static final String TRACES = "io.inbox4j.opentelemetry..";

  /** The program that puts the modules together. */
  private static final String PROGRAM = "io.inbox4j.cli..";

  private static final String[] NOT_SHIPPED = {
    "io.inbox4j.testkit..", "io.inbox4j.endtoend..", "io.inbox4j.build.."
  };

  private static final JavaClasses SHIPPED =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.inbox4j")
          .that(not(resideInAnyPackage(NOT_SHIPPED)));

  @Test
  void allModulesAreLookedAt() {
    assertThat(SHIPPED.contain(Inbox.class)).isTrue();
    assertThat(SHIPPED.contain(InboxStoreContract.class)).isTrue();
    assertThat(SHIPPED.contain(JdbiInboxStore.class)).isTrue();
    assertThat(SHIPPED.contain(RabbitTransport.class)).isTrue();
    assertThat(SHIPPED.contain(InboxMetrics.class)).isTrue();
    assertThat(SHIPPED.contain(InboxTracing.class)).isTrue();
    assertThat(SHIPPED.contain(InboxCommand.class)).isTrue();
  }

  @Test
  void theCoreKnowsNeitherADatabaseNorABroker() {
    noClasses()
        .that()
        .resideOutsideOfPackages(STORE, TRANSPORT, PROGRAM)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.jdbi..",
            "java.sql..",
            "javax.sql..",
            "com.zaxxer..",
            "org.postgresql..",
            "com.rabbitmq..",
            STORE,
            TRANSPORT)
        .check(SHIPPED);
  }

  @Test
  void theStoreAndTheTransportDoNotKnowEachOther() {
    noClasses()
        .that(resideInAPackage(STORE))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(TRANSPORT, "com.rabbitmq..")
        .check(SHIPPED);
    noClasses()
        .that(resideInAPackage(TRANSPORT))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(STORE, "org.jdbi..", "java.sql..", "javax.sql..", "org.postgresql..")
        .check(SHIPPED);
  }

  @Test
  void onlyTheirModulesKnowMetricsAndTraces() {
    noClasses()
        .that()
        .resideOutsideOfPackages(METRICS, PROGRAM)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(METRICS, "io.micrometer..")
        .check(SHIPPED);
    noClasses()
        .that()
        .resideOutsideOfPackages(TRACES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(TRACES, "io.opentelemetry..")
        .check(SHIPPED);
  }

  /** Every package is a slice of its own, the root package of every module included. */
  @Test
  void packagesAreFreeOfCycles() {
    slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                return SliceIdentifier.of(type.getPackageName());
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles()
        .check(SHIPPED);
  }

  @Test
  void noTwoTypesShareASimpleName() {
    Map<String, Long> byName =
        SHIPPED.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getSimpleName, Collectors.counting()));
    assertThat(byName).allSatisfy((name, types) -> assertThat(types).as(name).isEqualTo(1));
  }

  /** A shared contracts jar takes nothing else with it. */
  @Test
  void theApiDependsOnJspecifyOnly() {
    classes()
        .that(resideInAnyPackage(API))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(API).or(resideInAnyPackage("java..", "org.jspecify..")))
        .check(SHIPPED);
  }

  @Test
  void onlyTheWaysInArePublic() {
    assertThat(publicClassesIn("io.inbox4j.jdbi"))
        .containsExactlyInAnyOrder(
            JdbiInboxStore.class.getName(), JdbiInboxStoreBuilder.class.getName());
    assertThat(publicClassesIn(TRANSPORT))
        .containsExactlyInAnyOrder(
            RabbitTransport.class.getName(), TopologyException.class.getName());
    assertThat(publicClassesIn(METRICS)).containsExactly(InboxMetrics.class.getName());
    assertThat(publicClassesIn(TRACES)).containsExactly(InboxTracing.class.getName());
    assertThat(publicClassesIn("io.inbox4j.cli")).containsExactly(InboxCommand.class.getName());
    assertThat(publicClassesIn("io.inbox4j.cli.application"))
        .containsExactly(InboxApplication.class.getName());
  }

  private static Iterable<String> publicClassesIn(String place) {
    return SHIPPED.that(resideInAPackage(place)).stream()
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .map(JavaClass::getName)
        .toList();
  }

  @Test
  void namesSayWhatAThingIs() {
    noClasses()
        .should()
        .haveSimpleNameEndingWith("Utils")
        .orShould()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Manager")
        .orShould()
        .haveSimpleNameEndingWith("Impl")
        .orShould()
        .haveSimpleNameEndingWith("Common")
        .check(SHIPPED);
  }

  /**
   * But for the one that an operator names, who can choose the class path as well, and one of
   * Spring, always the same, which is there or not.
   */
  @Test
  void noClassIsLoadedByItsName() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(ApplicationOptions.class)
        .and()
        .doNotHaveFullyQualifiedName("io.inbox4j.jdbi.internal.connect.SpringTransactions")
        .should()
        .callMethod(Class.class, "forName", String.class)
        .orShould()
        .callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class)
        .orShould()
        .callMethod(ClassLoader.class, "loadClass", String.class)
        .check(SHIPPED);
  }

  /**
   * But for how an inbox is, and since when: that is known while the database is away; and for how
   * far ahead a time on the wire is. A message that is sent says when, for people. The program says
   * so of its start, and compares the clocks. The store in memory is its own database.
   */
  @Test
  void timeIsTheDatabases() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(HealthMonitor.class, DeliveryValidator.class, InMemoryInboxStore.class)
        .and()
        .doNotHaveFullyQualifiedName("io.inbox4j.rabbitmq.AmqpMessage")
        .and()
        .resideOutsideOfPackages(PROGRAM, CONTRACT)
        .should()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(Clock.class, "systemUTC")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callConstructor(Date.class)
        .check(SHIPPED);
  }

  /**
   * What makes foreign text harmless is the only way to the terminal. A script for shells and
   * suggestions of known names have no such text in them.
   */
  @Test
  void commandsPrintThroughTheTerminalOnly() {
    noClasses()
        .that()
        .resideInAPackage(PROGRAM)
        .and()
        .resideOutsideOfPackage("io.inbox4j.cli.internal.terminal")
        .and()
        .doNotBelongToAnyOf(CompletionCommand.class, InboxCommand.class)
        .should()
        .callMethod("picocli.CommandLine", "getOut")
        .orShould()
        .callMethod("picocli.CommandLine", "getErr")
        .check(SHIPPED);
  }

  @Test
  void nobodyWritesToTheConsole() {
    noClasses()
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .orShould()
        .callMethod(Throwable.class, "printStackTrace")
        .check(SHIPPED);
  }
}
