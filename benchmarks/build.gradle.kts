plugins {
    `java-library`
}

description = "Programs that measure."

dependencies {
    implementation(project(":inbox-api"))
}
