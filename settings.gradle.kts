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
    "testkit",
    "examples",
    "benchmarks",
    "reliability",
    "end-to-end",
)
