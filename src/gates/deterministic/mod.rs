//! Whether asking twice gives the same rankings.

pub(crate) mod decide;

use super::Kind;

/// The configuration gives the same answers twice.
#[derive(Clone, Debug, PartialEq)]
pub struct DeterministicGate;

impl Kind for DeterministicGate {
    fn asks_twice(&self) -> bool {
        true
    }
}
