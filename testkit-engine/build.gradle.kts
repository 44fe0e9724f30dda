plugins {
    `java-library`
}

description = "What an inbox tells its listeners and its log, for tests without servers."

dependencies {
    api(project(":inbox-api"))
    api(libs.jspecify)
    api(libs.logback.classic)
    api(libs.logback.core)
    implementation(libs.slf4j.api)
}
