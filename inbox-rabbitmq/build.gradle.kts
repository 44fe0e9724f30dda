plugins {
    `java-library`
    `maven-publish`
}

description = "The consumer, topology and supervised connection on RabbitMQ."

dependencies {
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.amqp.client)
    api(libs.jspecify)
    implementation(libs.slf4j.api)

    testImplementation(project(":inbox-contract"))
    testImplementation(project(":testkit"))
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.logback.classic)
    testImplementation(libs.logback.core)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
