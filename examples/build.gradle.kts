plugins {
    `java-library`
}

description = "Programs that a newcomer runs and copies."

dependencies {
    implementation(project(":inbox-api"))
    implementation(project(":inbox-jdbi"))
    implementation(project(":inbox-rabbitmq"))
}
