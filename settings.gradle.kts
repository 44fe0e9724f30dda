rootProject.name = "inbox-parent"

// Jackson's modules bring jackson-bom as a platform, by metadata that Maven does not read. It would give modules that follow
// more slowly, such as CBOR, a version that is not published.
@CacheableRule
abstract class WithoutJacksonPlatform : ComponentMetadataRule {
    override fun execute(context: ComponentMetadataContext) {
        context.details.allVariants {
            withDependencies {
                removeAll { it.group == "tools.jackson" && it.name == "jackson-bom" }
            }
        }
    }
}

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories {
        mavenCentral()
    }
    components {
        all(WithoutJacksonPlatform::class.java)
    }
}

include(
    "inbox-bom",
    "inbox-api",
    "inbox-core",
    "inbox-contract",
    "inbox-jdbi",
    "inbox-rabbitmq",
    "inbox-micrometer",
    "inbox-opentelemetry",
    "testkit",
    "testkit-engine",
    "inbox-cli",
    "examples",
    "benchmarks",
    "reliability",
    "end-to-end",
)
