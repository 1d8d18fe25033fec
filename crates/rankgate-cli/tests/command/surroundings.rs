//! What a command under test must not get from whoever runs the tests.

use std::process::Command;

/// By which CI systems make themselves known, and what changes what the command does.
const FOREIGN: [&str; 14] = [
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITLAB_CI",
    "GITLAB_TOKEN",
    "GH_TOKEN",
    "BUILDKITE",
    "JENKINS_URL",
    "BUILD_NUMBER",
    "TF_BUILD",
    "TEAMCITY_VERSION",
    "NO_COLOR",
    "COLUMNS",
    "SSL_CERT_FILE",
    "CARGO_TARGET_DIR",
];

/// Takes all of it away; what a test gives the command itself is given after this.
pub(crate) fn leave(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars() {
        let of_this_run = ["CI_", "GITHUB_", "RANKGATE_", "ACTIONS_ID_", "CODEBUILD_", "bamboo_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        if of_this_run || FOREIGN.contains(&&*name) {
            command.env_remove(name);
        }
    }
    command
}
