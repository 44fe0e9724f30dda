plugins {
    `java-library`
}

description = "Programs that a newcomer runs and copies."

dependencies {
    implementation(platform(libs.embedded.postgres.binaries.bom))
    implementation(project(":inbox-api"))
    implementation(project(":inbox-core"))
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-rabbitmq"))
    implementation(project(":inbox-micrometer"))
    implementation(project(":inbox-opentelemetry"))
    implementation(libs.amqp.client)
    implementation(libs.embedded.postgres)
    implementation(libs.jackson.databind)
    implementation(libs.jackson.dataformat.cbor)
    implementation(libs.jdbi3.core)
    implementation(libs.jspecify)
    implementation(libs.micrometer.core)
    implementation(libs.opentelemetry.api)
    implementation(libs.opentelemetry.context)
    implementation(libs.opentelemetry.sdk)
    implementation(libs.qpid.broker.core)
    runtimeOnly(libs.embedded.postgres.binaries.darwin.arm64v8)
    runtimeOnly(libs.embedded.postgres.binaries.linux.arm64v8)
    runtimeOnly(libs.logback.classic)
    runtimeOnly(libs.qpid.broker.amqp)
    runtimeOnly(libs.qpid.broker.memory.store)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
