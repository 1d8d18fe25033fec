//! What a gate asked for and saw.

use serde_json::Value;

use super::bounds::BoundsFinding;
use super::comparison::{ComparisonFinding, Likeness};
use super::corrected::CorrectedReport;
use super::evidence::EvidenceReport;
use super::measured::MetricReport;
use super::movers::Movers;
use super::suite::{SuiteFinding, SuiteThresholdFinding};
use crate::gate::{Bound, Expect, Limit, LimitReport, Standing, Verdict, broken_limit, deciding_value};
use crate::json::{Fields, FromJson, JsonError, ToJson, Tree, read_json, record, write_json};
use crate::words::keywords;

/// One gate: what was asked for, what was seen, what follows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema), schemars(transform = with_message))]
pub struct GateReport {
    /// The test's name.
    pub name: String,
    /// The configuration that is judged.
    pub configuration: String,
    /// Whether it only advises.
    pub advisory: bool,
    /// What came of it.
    pub verdict: Verdict,
    /// Where the spec asks for it, if a spec does.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub place: Option<Place>,
    /// What was asked and seen.
    pub finding: Finding,
    /// How much of what it rests on is there, where it is not all of it.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub evidence: Option<EvidenceReport>,
    /// Where blessed files have a part in it: what has changed since they were blessed, the retriever aside.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub inputs_changed: Vec<Input>,
    /// What to do next, most helpful first.
    pub advice: Vec<Advice>,
}

write_json!(struct GateReport {
    name, configuration, advisory, verdict, place?, finding, evidence?, inputs_changed?, advice
});

/// What the JSON of a report has beside it: made by whoever writes it, since the model holds no text.
#[cfg(feature = "schemars")]
fn with_message(schema: &mut schemars::Schema) {
    let message = serde_json::json!({
        "description": "What is said of it to people, in lines: the text of the failed test.",
        "type": "string",
    });
    for (key, value) in [("properties", serde_json::json!({})), ("required", serde_json::json!([]))] {
        schema.ensure_object().entry(key).or_insert(value);
    }
    schema.ensure_object()["properties"]["message"] = message;
    if let Some(required) = schema.ensure_object()["required"].as_array_mut() {
        required.push("message".into());
    }
}

#[doc(hidden)]
impl FromJson for GateReport {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let mut fields = Fields::from_object(value)?;
        let message: Option<String> = fields.take("message")?;
        let mut finding = fields.take("finding")?;
        // Whoever knows a kind makes its message; of another kind there is no other text.
        if let Finding::Unknown(unknown) = &mut finding {
            unknown.message = message.unwrap_or_default();
        }
        Ok(Self {
            name: fields.take("name")?,
            configuration: fields.take("configuration")?,
            advisory: fields.take("advisory")?,
            verdict: fields.take("verdict")?,
            place: fields.take("place")?,
            finding,
            evidence: fields.take("evidence")?,
            inputs_changed: fields.take_or_default("inputs_changed")?,
            advice: fields.take("advice")?,
        })
    }
}

read_json!(@serde GateReport);

keywords! {
    /// Something beside the retriever that a run depends on: a difference is no regression of the retriever.
    pub enum Input {
        /// Results asked for per query.
        Depth = "depth",
        /// The retriever's parameters in the spec.
        Parameters = "parameters",
        /// The judged queries, with their texts and metadata.
        Queries = "queries",
        /// Which documents were judged for which query, and how.
        Judgments = "judgments",
        /// The documents, with their texts and metadata.
        Documents = "documents",
        /// Whether documents with the id of their query are taken out.
        IdenticalIds = "identical-ids",
    }
}

record! {
    /// A line of a file.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Place {
        /// Path relative to the workspace.
        pub file: String,
        /// 1-based.
        pub line: u64,
    }
}

record! {
    /// Something a reader may do next.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Advice {
        /// Why one would: `accept the new ranking`.
        pub purpose: String,
        /// The command to type or the file to open.
        pub action: String,
    }
}

/// What a gate asked for and saw.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemars", serde(tag = "kind", rename_all = "kebab-case"))]
pub enum Finding {
    /// A limit on one metric of one configuration.
    Threshold(Box<ThresholdFinding>),
    /// The metric report against what was blessed.
    Snapshot(SnapshotFinding),
    /// Whether asking twice gives the same rankings.
    Deterministic(DeterministicFinding),
    /// A candidate against a baseline, by the scores of the queries that both have.
    Comparison(Box<ComparisonFinding>),
    /// A value that people are to correct, or a difference of two, of which they have not judged everything.
    Bounds(Box<BoundsFinding>),
    /// A candidate against a baseline, by their rankings alone: no judgments needed.
    Overlap(Box<OverlapFinding>),
    /// A limit on the time that answers take.
    Latency(Box<super::LatencyFinding>),
    /// A candidate against a baseline over the collections of a suite.
    Suite(Box<SuiteFinding>),
    /// A limit on the weighted mean over the collections of a suite.
    SuiteThreshold(Box<SuiteThresholdFinding>),
    /// The gate could not be decided: why, in one sentence.
    Undecided {
        /// What kept it from being decided.
        reason: String,
    },
    /// What a later version of this crate found, or one with more features: it is kept as it was written.
    #[cfg_attr(feature = "schemars", schemars(skip))]
    Unknown(Box<UnknownFinding>),
}

/// A finding of a kind that this build does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownFinding {
    /// The kind's name.
    pub kind: String,
    /// Its fields as they were written; an object without `kind`.
    pub fields: Value,
    /// What the writer says of the gate; empty where it says nothing.
    pub message: String,
}

#[doc(hidden)]
impl FromJson for Finding {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let mut fields = Fields::from_object(value)?;
        let kind: String = fields.take("kind")?;
        let rest = fields.rest();
        Ok(match kind.as_str() {
            "threshold" => Self::Threshold(FromJson::from_json(rest)?),
            "snapshot" => Self::Snapshot(FromJson::from_json(rest)?),
            "deterministic" => Self::Deterministic(FromJson::from_json(rest)?),
            "comparison" => Self::Comparison(FromJson::from_json(rest)?),
            "bounds" => Self::Bounds(FromJson::from_json(rest)?),
            "overlap" => Self::Overlap(FromJson::from_json(rest)?),
            "latency" => Self::Latency(FromJson::from_json(rest)?),
            "suite" => Self::Suite(FromJson::from_json(rest)?),
            "suite-threshold" => Self::SuiteThreshold(FromJson::from_json(rest)?),
            "undecided" => Self::Undecided { reason: Fields::from_object(rest)?.take("reason")? },
            _ => Self::Unknown(Box::new(UnknownFinding { kind, fields: rest, message: String::new() })),
        })
    }
}

read_json!(@serde Finding);

#[doc(hidden)]
impl ToJson for Finding {
    fn to_json(&self) -> Tree<'_> {
        let (kind, tree) = match self {
            Self::Threshold(held) => (&"threshold", held.to_json()),
            Self::Snapshot(held) => (&"snapshot", held.to_json()),
            Self::Deterministic(held) => (&"deterministic", held.to_json()),
            Self::Comparison(held) => (&"comparison", held.to_json()),
            Self::Bounds(held) => (&"bounds", held.to_json()),
            Self::Overlap(held) => (&"overlap", held.to_json()),
            Self::Latency(held) => (&"latency", held.to_json()),
            Self::Suite(held) => (&"suite", held.to_json()),
            Self::SuiteThreshold(held) => (&"suite-threshold", held.to_json()),
            Self::Undecided { reason } => (&"undecided", Tree::object(&[("reason", reason, false)])),
            Self::Unknown(unknown) => return unknown.to_json(),
        };
        tree.tagged("kind", kind)
    }
}

write_json!(@serde Finding);

impl UnknownFinding {
    fn to_json(&self) -> Tree<'_> {
        let mut fields: Vec<(&str, &dyn ToJson)> = vec![("kind", &self.kind)];
        fields.extend(
            self.fields.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value as _)),
        );
        Tree::Object(fields)
    }
}

record! {
    /// A limit on one metric of one configuration.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ThresholdFinding {
        /// Canonical name.
        pub metric: String,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// Smallest value allowed.
        pub min?: Option<f64>,
        /// Largest value allowed.
        pub max?: Option<f64>,
        /// Where the numbers are to `min`.
        pub to_min?: Option<LimitReport>,
        /// Where the numbers are to `max`.
        pub to_max?: Option<LimitReport>,
        /// What is held against the limits.
        pub bound: Bound,
        /// Its value; `None` where there is no interval to take it from.
        pub held?: Option<f64>,
        /// The limit that is broken, if one is.
        pub broken?: Option<Limit>,
        /// Judged queries the value is taken over.
        pub queries: usize,
        /// How many of them were not answered, and so scored 0.
        pub unanswered: usize = default,
        /// What should be known before the value is believed.
        pub cautions?: Vec<String>,
        /// The value and its interval.
        pub measured: MetricReport,
        /// Where it rests on a model's judgments, what people make of them: then the value is the corrected one.
        pub corrected?: Option<CorrectedReport>,
        /// Of a metric of answers, what is counted of their claims.
        pub answers?: Option<super::AnswersReport>,
        /// Queries that explain the value: against the blessed run where there is one, else the weakest.
        pub movers: Movers,
    }
}

impl ThresholdFinding {
    /// With what is held against its limits, and where its numbers are to them.
    #[doc(hidden)]
    #[must_use]
    pub fn against_limits(mut self) -> Self {
        let (measured, movers) = (&self.measured, &self.movers);
        let against = movers.against_value.or(measured.golden);
        let held = deciding_value(self.bound, measured.value, measured.interval);
        let to = |limit| LimitReport::new(limit, held, measured.value, measured.interval, against);
        (self.to_min, self.to_max) = (self.min.map(to), self.max.map(to));
        self.broken = held.and_then(|held| broken_limit(held, self.min, self.max));
        self.held = held;
        self
    }
}

record! {
    /// The metric report against what was blessed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SnapshotFinding {
        /// The golden file, relative to the workspace.
        pub file: String,
        /// What was found.
        pub state: SnapshotState,
        /// Lines of the difference: `-` blessed, `+` now.
        pub diff?: String,
        /// How many documents stand elsewhere, where all that differs from the blessed run is the order of
        /// documents with equal scores.
        pub tied?: Option<usize>,
    }
}

keywords! {
    /// How a metric report compares with what was blessed.
    pub enum SnapshotState {
        /// They agree.
        Same = "same",
        /// Nothing was blessed so far.
        Missing = "missing",
        /// They differ.
        Differs = "differs",
        /// It was blessed just now.
        Blessed = "blessed",
    }
}

record! {
    /// Whether asking twice gives the same rankings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeterministicFinding {
        /// Queries asked.
        pub queries: usize,
        /// Queries with two different answers, by id.
        pub differing: Vec<Disagreement>,
    }
}

record! {
    /// A query that was answered in two ways.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Disagreement {
        /// Query id.
        pub query: String,
        /// What was asked.
        pub text: String,
        /// First rank at which the answers differ.
        pub rank: usize,
        /// The documents there, in the first and the second answer.
        pub documents: [Option<String>; 2],
        /// Whether documents that changed places have the same score: the usual cause.
        pub tied: bool,
    }
}

record! {
    /// A candidate against a baseline by their rankings alone.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OverlapFinding {
        /// The configuration that is judged.
        pub candidate: String,
        /// What it is compared with: a configuration, `golden` or `golden@v1.2`.
        pub baseline: String,
        /// What is expected: that they are identical, or overlap.
        pub expect: Expect,
        /// Smallest mean overlap allowed, for `overlap`.
        pub min?: Option<f64>,
        /// Where the mean overlap is to `min`.
        pub to_min?: Option<Standing>,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// How alike the rankings are.
        pub likeness: Likeness,
        /// Queries that only one side has.
        pub unpaired: usize,
        /// The queries that are least alike, with the rank at which they first differ; documents of the
        /// baseline first.
        pub differing: Vec<Disagreement>,
        /// Sides that are frozen runs read by score: documents of equal scores stand in the order of their ids,
        /// whatever the order of the file.
        pub read_by_score?: Vec<String>,
        /// What else a reader should know.
        pub cautions: Vec<String>,
    }
}
