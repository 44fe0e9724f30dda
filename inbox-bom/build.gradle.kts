plugins {
    `java-platform`
    `maven-publish`
}

description = "The versions of all modules of Inbox that belong together."

dependencies {
    constraints {
        api(project(":inbox-api"))
        api(project(":inbox-core"))
        api(project(":inbox-contract"))
        api(project(":inbox-jdbi"))
        api(project(":inbox-rabbitmq"))
        api(project(":inbox-micrometer"))
        api(project(":inbox-opentelemetry"))
        api(project(":inbox-cli"))
    }
}

publishing {
    publications {
        create<MavenPublication>("maven") {
            from(components["javaPlatform"])
            pom {
                description = provider { project.description }
                licenses {
                    license {
                        name = "Apache-2.0"
                        url = "https://www.apache.org/licenses/LICENSE-2.0.txt"
                    }
                }
            }
        }
    }
}
