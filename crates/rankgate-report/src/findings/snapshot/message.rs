//! The metric report against what was blessed.

use crate::metric::Polarity;
use crate::model::{GateReport, Movers, SnapshotFinding, SnapshotState};
use crate::report::clean::clean;
use crate::report::number::{apart, counted, fixed};
use crate::report::page::{Block, Part};

use crate::findings::Kind;
use crate::report::message::movers::{self, Way};
use crate::report::message::{About, Context};
use crate::report::verdict::word;

/// Decimals of a metric's value.
const DECIMALS: usize = 4;
/// Lines of a difference that a message shows.
const DIFF: usize = 60;

impl Kind for SnapshotFinding {
    fn movers(&self) -> Option<&Movers> {
        self.movers.as_ref()
    }

    // What lost is of relevance.
    fn says_better(&self) -> Option<(&str, Polarity)> {
        Some((self.metric.as_ref()?, Polarity::MoreIsBetter))
    }

    fn headline(&self, context: &Context) -> String {
        format!("the metric report of {} {}", context.name(), self.short(0))
    }

    fn short(&self, _: usize) -> String {
        let tied = if self.tied.is_some() { ": only the order within ties" } else { "" };
        format!("{}{tied}", headline_words(self.state))
    }

    fn about(&self, gate: &GateReport) -> About {
        let metric = self.metric.clone();
        About { candidate: gate.configuration.clone(), baseline: "golden".to_owned(), metric }
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let file = clean(&self.file);
        match self.state {
            SnapshotState::Same | SnapshotState::Blessed => vec![vec![Block::line(file)]],
            SnapshotState::Missing => {
                let missing = format!("{file} does not exist, so there is nothing to compare with");
                let lead = format!("{}: ", word(context.gate.verdict));
                vec![vec![Block::hanging(lead, missing, 3)]]
            }
            SnapshotState::Differs => {
                let names = vec![Block::line(format!("--- {file}")), Block::line("+++ now")];
                let diff = Block::Preformatted { text: self.diff.clone(), nested: true, lines: DIFF };
                let ties = self.tied.map(within_ties).into_iter().collect();
                let lists = self.lists.iter().map(Block::paragraph).collect();
                let [metric, movers] = self.lost_most().unwrap_or_default();
                vec![names, vec![diff], lists, ties, metric, movers, self.without_run(), accepting(context)]
            }
        }
    }
}

impl SnapshotFinding {
    /// The metric that lost most, and the queries behind it: a part of its own, which other gates on the metric have as well.
    fn lost_most(&self) -> Option<[Part; 2]> {
        let (metric, now, movers) = (self.metric.as_ref()?, self.value?, self.movers.as_ref()?);
        let before = movers.against_value.unwrap_or(now);
        let digits = apart(before, now, DECIMALS);
        let values = format!("{} -> {}", fixed(before, digits), fixed(now, digits));
        let metric = Block::line(format!("{} lost most, {values}:", clean(metric)));
        let queries = movers.worse + movers.better + movers.unchanged;
        Some([vec![metric], movers::part(movers, queries, Polarity::MoreIsBetter, &[Way::Falls])])
    }

    /// That there is nothing by which queries could be named.
    fn without_run(&self) -> Part {
        let missing = "No run was blessed beside it, by which the queries that changed could be named.";
        self.without_run.then(|| Block::paragraph(missing)).into_iter().collect()
    }
}

fn headline_words(state: SnapshotState) -> &'static str {
    match state {
        SnapshotState::Same => "is as blessed",
        SnapshotState::Missing => "has no golden file yet",
        SnapshotState::Differs => "differs from what was blessed",
        SnapshotState::Blessed => "was blessed just now",
    }
}

fn within_ties(moved: usize) -> Block {
    Block::paragraph(format!(
        "The same documents tie at the same ranks of every query: {} changed places among their equals. \
         Break ties by a stable key, such as the document id.",
        counted(moved, "document", "documents")
    ))
}

/// How the tools differ, where there are two: outside of `cargo test` nothing is left for insta to review.
fn accepting(context: &Context) -> Part {
    let by_test = context.gate.advice.iter().any(|advice| advice.value.contains("cargo test"));
    by_test.then(|| Block::paragraph(ACCEPTING)).into_iter().collect()
}

const ACCEPTING: &str = "`cargo insta review` shows the change. It can accept the snapshot, but not the golden run. \
                         RANKGATE_BLESS=1 accepts both.";
