plugins {
    `java-library`
    `maven-publish`
}

description = "Traces through an inbox, by OpenTelemetry."

dependencies {
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.opentelemetry.api)
    api(libs.opentelemetry.context)
    api(libs.jspecify)
    implementation(libs.slf4j.api)

    testImplementation(project(":inbox-jdbi"))
    testImplementation(project(":inbox-rabbitmq"))
    testImplementation(project(":testkit"))
    testImplementation(libs.logback.classic)
    testImplementation(libs.amqp.client)
    testImplementation(libs.opentelemetry.sdk)
    testImplementation(libs.opentelemetry.sdk.common)
    testImplementation(libs.opentelemetry.sdk.testing)
    testImplementation(libs.opentelemetry.sdk.trace)
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter.api)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
