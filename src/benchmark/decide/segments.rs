//! Whether the segments that a spec names are there.

use std::collections::BTreeSet;

use crate::error::Quoted;
use crate::evaluation::nowhere;
use crate::gate::Segment;
use crate::yaml::{all_of, nearest};
use crate::{Error, Result};

use super::Decisions;

impl Decisions {
    /// Whether some query is in each segment that a gate is on, and has each of the keys that the report is
    /// to be broken down by. Those of a collection that could not be loaded nobody knows, and that is told
    /// elsewhere.
    pub(super) fn check_segments(&self) -> Result<()> {
        let Ok(collection) = self.cache.collection() else { return Ok(()) };
        let of_gates = self.cache.spec.thresholds.iter().map(|threshold| threshold.segment.as_ref());
        let of_gates =
            of_gates.chain(self.cache.spec.comparisons.iter().map(|one| one.segment.as_ref())).flatten();
        for Segment { key, value } in of_gates {
            if !collection.queries().iter().any(|query| query.segments(key).contains(value)) {
                return Err(Error::invalid(nowhere(collection.queries(), key, value)));
            }
        }
        let keys: BTreeSet<&str> =
            collection.queries().iter().flat_map(|query| query.metadata.keys().map(String::as_str)).collect();
        let Some(unknown) = self.cache.spec.segments.iter().find(|key| !keys.contains(key.as_str())) else {
            return Ok(());
        };
        let mut message =
            format!("`segments` names {}, which no judged query has as metadata", Quoted(unknown));
        message += &match keys.len() {
            0 => ": they have none".to_owned(),
            _ => format!(": they have {}", all_of(keys.iter().copied())),
        };
        if let Some(near) = nearest(unknown, keys.iter().copied()) {
            message += &format!("; did you mean `{near}`?");
        }
        Err(Error::invalid(message))
    }
}
