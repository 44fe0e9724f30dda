plugins {
    `java-library`
}

description = "A checker, and a program that breaks things."

dependencies {
    implementation(project(":inbox-api"))
    implementation(project(":inbox-core"))
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-rabbitmq"))
    implementation(project(":testkit"))
    implementation(libs.amqp.client)
    implementation(libs.jdbi3.core)
    implementation(libs.jspecify)

    runtimeOnly(libs.logback.classic)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)

    testRuntimeOnly(libs.junit.jupiter.engine)
}
