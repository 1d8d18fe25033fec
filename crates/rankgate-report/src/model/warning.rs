//! What a reader should know before believing the verdict on a comparison.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stats;

/// What a reader should know before believing the verdict on a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A word for programs, such as `few-units` or `cut-lists`.
    pub kind: String,
    /// A sentence for people.
    pub text: String,
}

impl Warning {
    /// Lists of one side that end where those of the other go on.
    pub const CUT_LISTS: &'static str = "cut-lists";
    /// Unjudged documents that the verdict depends on.
    pub const UNJUDGED_DECIDE: &'static str = "unjudged-decide";

    /// A sentence of this kind.
    pub fn new(kind: &str, text: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), text: text.into() }
    }

    /// What is known of the scores of one configuration.
    pub fn of_side(configuration: &str, text: &str) -> Self {
        Self::new("side", format!("{configuration}: {text}"))
    }

    /// What the statistics say; the query or the group that it is about, and the metadata key by which queries are grouped, if
    /// they are.
    pub fn of_statistics(warning: stats::Warning, unit: Option<String>, cluster: Option<&str>) -> Self {
        let unit = unit.map(|unit| match cluster {
            None => format!("query `{unit}`"),
            Some(key) => format!("the group {key}={unit}"),
        });
        let text = match (warning, unit) {
            (stats::Warning::OneUnitDecides { p, .. }, Some(unit)) => {
                format!("the verdict rests on {unit}: without it p is {p:.3}")
            }
            (other, _) if cluster.is_some() => other.text("group", "groups"),
            (other, _) => other.to_string(),
        };
        Self::new(warning.kind(), text)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
