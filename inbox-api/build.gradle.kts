plugins {
    `java-library`
    `maven-publish`
}

description = "What domain code compiles against: events, handlers, middleware, retry policies and listeners."

dependencies {
    api(libs.jspecify)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.junit.jupiter.params)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
