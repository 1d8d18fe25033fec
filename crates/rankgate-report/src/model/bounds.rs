//! What a gate knows of a value while people have not judged all that it takes.

use super::answers::{AnswersReport, ToldApart};
use super::corrected::{CorrectedOpen, UnjudgedDocument};
use super::movers::Movers;
use crate::gate::{Expect, Verdict};
use crate::json::as_json;

/// A value that people are to correct, and of which they have not judged everything: there is none, and it lies between two
/// bounds. In each of them all that no person judged has one answer. Of a comparison they are bounds of the difference,
/// candidate minus baseline.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct BoundsFinding {
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub segment: Option<[String; 2]>,
    /// Of a comparison, what the configuration is compared with.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub baseline: Option<String>,
    /// Of a comparison, what is expected.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub expect: Option<Expect>,
    /// Of a comparison, the tolerance, margin or smallest gain; `None` where it is 0.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub limit: Option<f64>,
    /// Smallest value allowed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub min: Option<f64>,
    /// Largest value allowed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub max: Option<f64>,
    /// The value with the worst answer for all that no person judged; `None` where people judged fewer than two of the
    /// queries.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub lowest: Option<BoundReport>,
    /// The same with the best answer.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub highest: Option<BoundReport>,
    /// Queries that the value is taken over.
    pub queries: usize,
    /// How many of them the configuration did not answer.
    pub unanswered: usize,
    /// What its judgments call the judge.
    pub judge: String,
    /// The model, as it was asked for.
    pub model: String,
    /// The value by the model's judgments alone, over all queries.
    pub uncorrected: f64,
    /// Queries, or groups of them, that were drawn for people.
    pub drawn: usize,
    /// Of the drawn ones, those of which people judged everything that the value takes.
    pub judged_whole: usize,
    /// Of so many.
    pub units: usize,
    /// Pairs of query and document within the cutoff that people had not judged and the model was asked about.
    pub pairs: usize,
    /// Those that it gave no grade.
    pub abstained: usize,
    /// Documents of drawn queries within the cutoff that no person judged; claims, of a metric of answers.
    pub unjudged: usize,
    /// Of these, what people cannot be asked about: answers without a claim.
    pub beyond_people: usize,
    /// The ten of them with the largest influence on the value.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub to_judge: Vec<UnjudgedDocument>,
    /// What keeps the gate open.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub open: Option<CorrectedOpen>,
    /// What should be known before the bounds are believed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub cautions: Vec<String>,
    /// Of a metric of answers, what is counted of their claims: the configuration's, then the baseline's.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub answers: Vec<AnswersReport>,
    /// Of a metric of answers against blessed ones: which half of the pipeline lost what was lost, by the judge.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub told_apart: Option<ToldApart>,
    /// Queries that explain the value, by the model's judgments.
    pub movers: Movers,
}

as_json!(struct BoundsFinding {
    metric, segment?, baseline?, expect?, limit?, min?, max?, lowest?, highest?, queries, unanswered, judge, model,
    uncorrected, drawn, judged_whole, units, pairs, abstained, unjudged, beyond_people, to_judge?, open?, cautions?,
    answers?, told_apart?, movers
});

/// One bound of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct BoundReport {
    /// The value there.
    pub value: f64,
    /// The limits of its interval; `None` where the scores have no spread.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub interval: Option<[f64; 2]>,
    /// What the gate would come to there.
    pub verdict: Verdict,
}

as_json!(struct BoundReport { value, interval?, verdict });
