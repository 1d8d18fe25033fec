//! Whether the segments that a spec names are there.

use std::collections::BTreeSet;

use crate::error::Quoted;
use crate::evaluation::nowhere;
use crate::gate::{Gate, Segment};
use crate::yaml::{all_of, nearest};
use crate::{Error, Result};

use super::Decisions;

impl Decisions {
    /// Whether some query is in each segment that a gate is on, and has each of the keys that the report is
    /// to be broken down by. Those of a collection that could not be loaded nobody knows, and that is told
    /// elsewhere.
    pub(super) fn check_segments(&self) -> Result<()> {
        let Ok(collection) = self.measure.collection() else { return Ok(()) };
        let of_gates = self.measure.spec.thresholds.iter().map(|threshold| threshold.segment.as_ref());
        let of_gates =
            of_gates.chain(self.measure.spec.comparisons.iter().map(|one| one.segment.as_ref())).flatten();
        for Segment { key, value } in of_gates {
            if !collection.queries_to_ask().iter().any(|query| query.segments(key).contains(value)) {
                let line = self.line_of(key, value);
                return Err(self.at_line(nowhere(collection.queries_to_ask(), key, value), line));
            }
        }
        let keys: BTreeSet<&str> = collection
            .queries_to_ask()
            .iter()
            .flat_map(|query| query.metadata.keys().map(String::as_str))
            .collect();
        let named = &self.measure.spec.segments;
        let Some(place) = named.iter().position(|key| !keys.contains(key.as_str())) else { return Ok(()) };
        let unknown = &named[place];
        let mut message =
            format!("`segments` names {}, which no judged query has as metadata", Quoted(unknown));
        message += &match keys.len() {
            0 => ": they have none".to_owned(),
            _ => format!(": they have {}", all_of(keys.iter().copied())),
        };
        if let Some(near) = nearest(unknown, keys.iter().copied()) {
            message += &format!("; did you mean `{near}`?");
        }
        // Keys that stand in no file have no line, and are held to the same.
        Err(self.at_line(message, self.measure.spec.segment_lines.get(place).copied()))
    }

    /// The line of the first gate on a segment.
    fn line_of(&self, key: &str, value: &str) -> Option<usize> {
        let spec = &self.measure.spec;
        let is_on = |gate: &&Gate| {
            let segment = gate.kind.segment(spec.entries());
            segment.is_some_and(|segment| segment.key == key && segment.value == value)
        };
        spec.gates.iter().find(is_on).map(|gate| gate.line)
    }

    /// Every gate tells of it, and none but one of them stands on that line.
    fn at_line(&self, message: String, line: Option<usize>) -> Error {
        let file = self.measure.context.shown(&self.measure.spec.path);
        Error::invalid(line.map_or_else(|| message.clone(), |line| format!("{message} ({file}:{line})")))
    }
}
