plugins {
    `java-library`
    `maven-publish`
}

description = "The contracts that stores and transports must fulfil, as tests to be extended."

dependencies {
    api(platform(libs.junit.bom))
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.jspecify)
    api(libs.junit.jupiter.api)
    implementation(libs.assertj.core)

    testImplementation(libs.logback.classic)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
