plugins {
    `java-library`
    `maven-publish`
}

description = "The PostgreSQL store on JDBI and HikariCP, with its migrations."

dependencies {
    api(project(":inbox-api"))
    api(project(":inbox-core"))
    api(libs.jdbi3.core)
    api(libs.jspecify)
    implementation(libs.hikaricp)
    implementation(libs.postgresql)
    implementation(libs.slf4j.api)

    testImplementation(project(":inbox-contract"))
    testImplementation(project(":testkit"))
    testImplementation(project(":testkit-engine"))
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.jackson.dataformat.cbor)
    testImplementation(libs.junit.jupiter.api)
    testImplementation(libs.junit.jupiter.params)
    testImplementation(libs.logback.classic)
    testImplementation(libs.spring.jdbc)
    testImplementation(libs.spring.tx)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
