plugins {
    `java-library`
}

description = "Programs that measure."

dependencies {
    implementation(project(":inbox-api"))
    implementation(project(":inbox-core"))
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-rabbitmq"))
    implementation(project(":inbox-cli"))
    implementation(project(":testkit"))
    implementation(libs.amqp.client)
    implementation(libs.db.scheduler)
    implementation(libs.hikaricp)
    implementation(libs.jackson.databind)
    implementation(libs.jdbi3.core)
    implementation(libs.jobrunr)
    implementation(libs.jspecify)
    implementation(libs.picocli)
    implementation(libs.spring.beans)
    implementation(libs.spring.context)
    implementation(libs.spring.core)
    implementation(libs.spring.integration.core)
    implementation(libs.spring.integration.jdbc)
    implementation(libs.spring.jdbc)
    implementation(libs.spring.messaging)
    implementation(libs.spring.modulith.events.api)
    implementation(libs.spring.modulith.events.core)
    implementation(libs.spring.tx)
    implementation(libs.transaction.outbox.core)

    runtimeOnly(libs.logback.classic)
    runtimeOnly(libs.spring.modulith.events.jdbc)
}
