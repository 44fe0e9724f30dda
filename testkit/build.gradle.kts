plugins {
    `java-library`
}

description = "Real servers for tests: a PostgreSQL, a RabbitMQ, child processes."

dependencies {
    api(libs.amqp.client)
    api(libs.jspecify)
    api(libs.postgresql)
    implementation(platform(libs.embedded.postgres.binaries.bom))
    implementation(libs.embedded.postgres)
    implementation(libs.awaitility)
    implementation(libs.docker.java.api)
    implementation(libs.slf4j.api)
    implementation(libs.testcontainers)
    implementation(libs.testcontainers.rabbitmq)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
