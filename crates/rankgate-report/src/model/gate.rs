//! The demand of a gate and the result.

use serde::{Deserialize, Serialize};

use super::coverage::CoverageReport;
use super::row::Row;
use super::warning::Warning;
use crate::findings::Finding;
use crate::gate::Verdict;

/// One gate: its demand, its result, the verdict.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct GateReport {
    /// The test's name.
    pub name: String,
    /// The configuration that is judged.
    pub configuration: String,
    /// Whether it only advises.
    pub advisory: bool,
    /// What came of it.
    pub verdict: Verdict,
    /// Added where a report is written, and not read back.
    #[serde(flatten, skip_deserializing)]
    #[cfg_attr(feature = "schemars", schemars(with = "Texts"))]
    pub texts: Option<Box<Texts>>,
    /// The file and the line in which the spec asks for it, if a spec does: `rankgate.yaml:12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The demand and the result.
    pub finding: Finding,
    /// How much of its data is there, if it is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageReport>,
    /// Where blessed files have a part in it: what has changed since they were blessed, the retriever aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs_changed: Vec<String>,
    /// What to do next, most helpful first: what for, and the command to type or the file to open.
    pub advice: Vec<Row>,
}

impl GateReport {
    /// The file of its spec, and the line.
    pub fn file_and_line(&self) -> Option<(&str, u64)> {
        let (file, line) = self.place.as_deref()?.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }
}

/// What people read of a gate; made of the whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Texts {
    /// Its message, in lines: the text of the failed test.
    pub message: String,
    /// The same for whoever reads it below the messages of the gates before it: what these say already is left out, such as
    /// a cause that they share. Absent where there is nothing to leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_message: Option<String>,
    /// What should be known before the verdict is believed; absent where there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}
