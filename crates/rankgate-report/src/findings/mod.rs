//! The kinds of findings, a folder each: `mod.rs` holds the data, and `message.rs` the text.
//!
//! A new kind is such a folder and an entry in the list below, from which the enum and its JSON are made.
//! Code that shows a report names no kind: it takes from [`Kind`] what it can show.

pub(crate) mod comparison;
pub(crate) mod deterministic;
pub(crate) mod latency;
pub(crate) mod overlap;
pub(crate) mod snapshot;
pub(crate) mod threshold;
pub(crate) mod undecided;

use serde::{Deserialize, Serialize};

use self::undecided::UndecidedFinding;
use crate::metric::Polarity;
use crate::model::{GateReport, Movers, Row, Warning};
use crate::report::message::{About, Context};
use crate::report::page::Part;
use crate::report::polarity::of_finding;

/// What a finding offers to code that shows a report. A kind implements the parts that it has.
pub(crate) trait Kind {
    /// The queries and documents that explain it.
    fn movers(&self) -> Option<&Movers> {
        None
    }

    /// A metric, and which values of it the gate takes for better.
    fn says_better(&self) -> Option<(&str, Polarity)> {
        None
    }

    /// What kept the gate from being decided.
    fn undecided_reason(&self) -> Option<&str> {
        None
    }

    /// The first line, behind the benchmark's name: who broke what.
    fn headline(&self, context: &Context) -> String;

    /// The numbers in a few words, with at least so many decimals.
    fn short(&self, decimals: usize) -> String;

    /// What should be known before the verdict is believed.
    fn warnings(&self) -> &[Warning] {
        &[]
    }

    /// Other numbers, which the page alone shows.
    fn rows(&self) -> &[Row] {
        &[]
    }

    /// The numbers and what explains them.
    fn body(&self, context: &Context) -> Vec<Part>;

    /// Whose rankings explain it: those of the configuration, now and as they were blessed.
    fn about(&self, gate: &GateReport) -> About {
        About { candidate: gate.configuration.clone(), baseline: "golden".to_owned(), metric: None }
    }

    /// What the verdict rests on.
    fn grounds(&self, context: &Context) -> Part {
        self.body(context).concat()
    }
}

macro_rules! finding {
    ($($(#[$about:meta])* $name:ident($room:ident::$data:ident),)+) => {
        /// The demand of a gate and the result.
        #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Finding {
            $(
                $(#[$about])*
                $name(Box<$room::$data>),
            )+
        }

        $(
            impl From<$room::$data> for Finding {
                fn from(finding: $room::$data) -> Self {
                    Self::$name(Box::new(finding))
                }
            }
        )+

        impl Finding {
            pub(crate) fn kind(&self) -> &dyn Kind {
                match self {
                    $(Self::$name(finding) => finding.as_ref(),)+
                }
            }
        }
    };
}
finding! {
    /// A limit on one metric of one configuration; of a suite on the mean over its collections.
    Threshold(threshold::ThresholdFinding),
    /// The metric report against what was blessed.
    Snapshot(snapshot::SnapshotFinding),
    /// Whether asking twice gives the same rankings.
    Deterministic(deterministic::DeterministicFinding),
    /// A candidate against a baseline, by the scores of the queries that both have; of a suite over its collections.
    Comparison(comparison::ComparisonFinding),
    /// A candidate against a baseline, by their rankings alone: no judgments needed.
    Overlap(overlap::OverlapFinding),
    /// A limit on the time that answers take.
    Latency(latency::LatencyFinding),
    /// The gate could not be decided: why, in one sentence.
    Undecided(undecided::UndecidedFinding),
}

impl Finding {
    /// The finding of a gate that could not be decided, for this reason.
    pub fn undecided(reason: impl Into<String>) -> Self {
        UndecidedFinding { reason: reason.into() }.into()
    }

    /// The queries and documents that explain it.
    #[doc(hidden)]
    pub fn movers(&self) -> Option<&Movers> {
        self.kind().movers()
    }

    /// Which values its gate takes for better.
    #[doc(hidden)]
    pub fn polarity(&self) -> Polarity {
        of_finding(self.kind())
    }

    /// The documents that explain it.
    #[doc(hidden)]
    pub fn moved_documents(&self) -> impl Iterator<Item = &String> {
        let movers = self.movers().into_iter();
        let queries = movers.flat_map(|movers| movers.losses.iter().chain(&movers.gains));
        queries.flat_map(|query| &query.documents).map(|moved| &moved.document)
    }

    /// What kept the gate from being decided; `None` where it was decided.
    pub fn undecided_reason(&self) -> Option<&str> {
        self.kind().undecided_reason()
    }

    /// The cutoff within which this side has more unjudged documents than the other side, or any where there is no other:
    /// what looks like a loss may be good documents that nobody judged.
    #[doc(hidden)]
    pub fn more_unjudged_within(&self) -> Option<usize> {
        let movers = self.movers()?;
        let is_more = movers.unjudged > movers.against_unjudged.unwrap_or(0);
        (movers.cutoff > 0 && is_more).then_some(movers.cutoff)
    }
}
