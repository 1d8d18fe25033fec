//! The metric report against what was blessed.

use crate::benchmark::model::{SnapshotFinding, SnapshotState};
use crate::report::clean::{clean, wrap};
use crate::report::number::counted;

use super::{Block, Context, Tell};

/// Lines of a difference that a message shows.
const DIFF: usize = 60;

impl Tell for &SnapshotFinding {
    fn headline(&self, context: &Context) -> String {
        format!("the metric report of {} {}", context.name(), self.seen(0))
    }

    fn seen(&self, _: usize) -> String {
        let tied = if self.tied.is_some() { ": same scores, other order within ties" } else { "" };
        format!("{}{tied}", said(self.state))
    }

    fn body(&self, context: &Context) -> Vec<Block> {
        let file = clean(&self.file);
        match self.state {
            SnapshotState::Same | SnapshotState::Blessed => vec![vec![file]],
            SnapshotState::Missing => {
                vec![vec![format!("{file} does not exist")], accepting(context)]
            }
            SnapshotState::Differs => {
                let mut diff = vec![format!("--- {file}"), "+++ now".to_owned(), String::new()];
                let lines = wrap(&self.diff, context.width.saturating_sub(2), DIFF);
                diff.extend(lines.into_iter().map(|line| format!("  {line}")));
                vec![
                    diff,
                    self.tied.map_or_else(Block::new, |tied| within_ties(tied, context)),
                    accepting(context),
                ]
            }
        }
    }
}

fn said(state: SnapshotState) -> &'static str {
    match state {
        SnapshotState::Same => "is as blessed",
        SnapshotState::Missing => "was never blessed",
        SnapshotState::Differs => "differs from what was blessed",
        SnapshotState::Blessed => "was blessed just now",
    }
}

fn within_ties(moved: usize, context: &Context) -> Block {
    context.paragraph(&format!(
        "At every rank of every query stands the score that was blessed: {} of equal scores changed places. \
         Break ties by a stable key, such as the document id.",
        counted(moved, "document", "documents")
    ))
}

/// How the tools differ, where there are two: outside of `cargo test` nothing is left for insta to review.
fn accepting(context: &Context) -> Block {
    let by_test = context.gate.advice.iter().any(|advice| advice.action.contains("cargo test"));
    if by_test { context.paragraph(ACCEPTING) } else { Block::new() }
}

const ACCEPTING: &str = "`cargo insta review` shows the change and accepts the snapshot, `cargo insta accept` \
                         accepts it unseen; neither blesses the run that baselines and movements are computed \
                         from. RANKGATE_BLESS=1 blesses both.";
