plugins {
    `java-library`
}

description = "All modules together, against real servers and killed processes."

dependencies {
    testImplementation(project(":inbox-api"))
    testImplementation(project(":inbox-core"))
    testImplementation(project(":inbox-contract"))
    testImplementation(project(":inbox-jdbi"))
    testImplementation(project(":inbox-rabbitmq"))
    testImplementation(project(":inbox-micrometer"))
    testImplementation(project(":inbox-opentelemetry"))
    testImplementation(project(":inbox-cli"))
    testImplementation(project(":testkit"))
    testImplementation(libs.amqp.client)
    testImplementation(libs.archunit)
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.jackson.databind)
    testImplementation(libs.jackson.dataformat.cbor)
    testImplementation(libs.jdbi3.core)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.logback.classic)
    testImplementation(libs.postgresql)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
