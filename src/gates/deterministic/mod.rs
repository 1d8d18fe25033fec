//! Whether asking twice, and building twice, gives the same rankings.

pub(crate) mod decide;
pub(crate) mod keys;

use rankgate_report::gate::Repetition;

/// The configuration gives the same answers twice.
#[derive(Clone, Debug, PartialEq)]
pub struct DeterministicGate {
    /// What has to repeat; where the spec does not say it, builds do that take less than 10 s, else answers.
    pub of: Option<Repetition>,
}
