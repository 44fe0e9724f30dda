plugins {
    `java-library`
}

description = "All modules together, against real servers and killed processes."

dependencies {
    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter.api)
    testRuntimeOnly(libs.junit.jupiter.engine)
}
