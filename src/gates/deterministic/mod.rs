//! Whether asking twice gives the same rankings.

pub(crate) mod decide;

use super::Kind;

/// The configuration answers the same when it is asked twice.
#[derive(Clone, Debug, PartialEq)]
pub struct DeterministicGate;

impl Kind for DeterministicGate {}
