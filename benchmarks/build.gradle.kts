plugins {
    `java-library`
}

description = "Programs that measure."

dependencies {
    implementation(project(":inbox-api"))
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-rabbitmq"))
    implementation(project(":testkit"))
    implementation(libs.amqp.client)
    implementation(libs.jdbi3.core)
    implementation(libs.jspecify)

    runtimeOnly(libs.logback.classic)
}
