plugins {
    `java-library`
    `maven-publish`
}

description = "The engine: the builder, receiving and processing, formats, and the ports for stores and transports."

dependencies {
    api(project(":inbox-api"))
    api(libs.jackson.databind)
    api(libs.jspecify)
    implementation(libs.jackson.core)
    implementation(libs.slf4j.api)

    testImplementation(project(":testkit-engine"))
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.junit.jupiter.params)
    testImplementation(libs.logback.classic)
    testImplementation(libs.logback.core)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
