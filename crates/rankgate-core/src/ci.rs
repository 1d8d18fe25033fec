//! Whether this is a CI machine: there nothing is blessed, and nothing is shown that may be a secret.

/// The variables by which CI systems make themselves known; not all of them set `CI`.
const VARIABLES: [&str; 24] = [
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "BUILDKITE",
    "JENKINS_URL",
    "BUILD_NUMBER", // Jenkins and TeamCity
    "TF_BUILD",     // Azure
    "TEAMCITY_VERSION",
    "CODEBUILD_BUILD_ID", // AWS
    "BITBUCKET_BUILD_NUMBER",
    "CIRCLECI",
    "TRAVIS",
    "APPVEYOR",
    "DRONE",
    "SEMAPHORE",
    "CIRRUS_CI",
    "bamboo_buildKey",
    "GO_PIPELINE_NAME", // GoCD
    "BITRISE_IO",
    "HEROKU_TEST_RUN_ID",
    "HARNESS_BUILD_ID",
    "PROW_JOB_ID",
    "CF_BUILD_ID", // Codefresh
];

/// Whether this process runs on a CI machine.
pub fn is_here() -> bool {
    told_by(&|name| std::env::var(name).ok()).is_some()
}

/// The first variable of a CI system that is set.
pub fn told_by(variable: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
    let off = |value: &str| ["", "0", "false", "no"].iter().any(|off| value.eq_ignore_ascii_case(off));
    VARIABLES.into_iter().find(|name| variable(name).is_some_and(|value| !off(&value)))
}
