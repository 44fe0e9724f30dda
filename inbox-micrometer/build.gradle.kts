plugins {
    `java-library`
    `maven-publish`
}

description = "Metrics of an inbox in a Micrometer registry."

dependencies {
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.micrometer.core)
    api(libs.jspecify)
    implementation(libs.slf4j.api)

    testImplementation(project(":inbox-jdbi"))
    testImplementation(project(":inbox-rabbitmq"))
    testImplementation(project(":testkit"))
    testImplementation(libs.logback.classic)
    testImplementation(libs.amqp.client)
    testImplementation(libs.micrometer.registry.prometheus)
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.jdbi3.core)
    testImplementation(libs.junit.jupiter.api)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
