plugins {
    `java-library`
    `maven-publish`
}

description = "What users see: events, handlers, the builder, the processor and the ports."

dependencies {
    api(libs.jackson.databind)
    api(libs.jspecify)
    implementation(libs.jackson.core)
    implementation(libs.slf4j.api)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.junit.jupiter.params)
    testImplementation(libs.logback.classic)
    testImplementation(libs.logback.core)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
