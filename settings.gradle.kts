rootProject.name = "inbox-parent"

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories {
        mavenCentral()
    }
}

include(
    "inbox-api",
    "inbox-jdbi",
    "inbox-rabbitmq",
    "inbox-micrometer",
    "inbox-opentelemetry",
    "testkit",
    "inbox-worker",
    "examples",
    "benchmarks",
    "reliability",
    "end-to-end",
)
