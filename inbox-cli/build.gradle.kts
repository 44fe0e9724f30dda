plugins {
    `java-library`
    `maven-publish`
}

description = "An inbox as a program of its own, and a command line for those who operate it."

dependencies {
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.picocli)
    api(libs.jspecify)
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-micrometer"))
    implementation(project(":inbox-rabbitmq"))
    implementation(libs.amqp.client)
    implementation(libs.micrometer.core)
    implementation(libs.micrometer.registry.prometheus)
    implementation(libs.jdbi3.core)
    implementation(libs.postgresql)
    implementation(libs.slf4j.api)
    implementation(libs.jackson.databind)
    runtimeOnly(libs.logback.classic)

    testImplementation(project(":testkit"))
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.snakeyaml.engine)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
