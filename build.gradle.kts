import com.diffplug.gradle.spotless.SpotlessExtension
import net.ltgt.gradle.errorprone.errorprone

plugins {
    alias(libs.plugins.errorprone) apply false
    alias(libs.plugins.spotless) apply false
}

allprojects {
    group = "io.inbox4j"
    version = "0.1.0-SNAPSHOT"
}

// The BOM has no code.
configure(subprojects.filter { it.name != "inbox-bom" }) {
    apply(plugin = "java-library")
    apply(plugin = "net.ltgt.errorprone")
    apply(plugin = "com.diffplug.spotless")

    dependencies {
        "errorprone"(rootProject.libs.errorprone.core)
        "testImplementation"(platform(rootProject.libs.junit.bom))
        // Surefire brings the launcher by itself, Gradle wants it declared.
        "testRuntimeOnly"(rootProject.libs.junit.platform.launcher)
    }

    tasks.withType<JavaCompile>().configureEach {
        options.release = 17
        options.encoding = "UTF-8"
        options.compilerArgs.addAll(
            listOf(
                "-parameters",
                "-Xlint:cast,deprecation,divzero,empty,fallthrough,finally,overrides,rawtypes,removal,static,unchecked,varargs",
                "-Werror",
            ),
        )
        options.errorprone.errorproneArgs.add("-XepAllErrorsAsWarnings")
    }

    tasks.withType<Test>().configureEach {
        useJUnitPlatform {
            // For daily work: without the tests that take long.
            if (providers.gradleProperty("quick").isPresent) {
                excludeTags("slow")
            }
        }
        // Tests wait more than they compute. Every fork has servers of its own.
        maxParallelForks = 3
        // They end before it pays to compile anything twice.
        jvmArgs("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    }

    tasks.withType<AbstractArchiveTask>().configureEach {
        isPreserveFileTimestamps = false
        isReproducibleFileOrder = true
    }

    configure<SpotlessExtension> {
        java {
            googleJavaFormat(rootProject.libs.versions.google.java.format.get())
            removeUnusedImports()
        }
    }

    pluginManager.withPlugin("maven-publish") {
        configure<JavaPluginExtension> {
            withSourcesJar()
            withJavadocJar()
        }
        configure<PublishingExtension> {
            publications {
                create<MavenPublication>("maven") {
                    from(components["java"])
                    pom {
                        description = provider { project.description }
                        licenses {
                            license {
                                name = "Apache-2.0"
                                url = "https://www.apache.org/licenses/LICENSE-2.0.txt"
                            }
                        }
                    }
                }
            }
        }
    }
}
