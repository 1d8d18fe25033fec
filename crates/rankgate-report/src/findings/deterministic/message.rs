//! Whether asking twice gives the same rankings.

use crate::model::{DeterministicFinding, Disagreement, Verdict};
use crate::report::number::{count, counted, queries};
use crate::report::page::{Block, Part, Text};

use crate::report::message::{Context, Message, movers};

impl Message for DeterministicFinding {
    fn headline(&self, context: &Context) -> String {
        let said = match context.gate.verdict {
            Verdict::Passed => "ranks the same when asked twice",
            Verdict::Inconclusive | Verdict::Errored | Verdict::Reported => "could not be asked twice",
            Verdict::Failed | Verdict::Advisory => "ranks differently when asked the same query twice",
        };
        format!("{} {said}", context.name())
    }

    fn short(&self, _: usize) -> Text {
        let seen = match self.differing.len() {
            0 => format!("{} ranked the same twice", queries(self.queries)),
            differing => format!("{} of {} ranked differently", count(differing), queries(self.queries)),
        };
        seen.into()
    }

    fn body(&self, _: &Context) -> Vec<Part> {
        let seen = self.short(0);
        if self.differing.is_empty() {
            return vec![vec![Block::Line(seen)]];
        }
        let first = vec![
            Block::Line(seen.and("; where the answers first part:")),
            movers::parted(&self.differing, self.differing.len()),
        ];
        vec![first, vec![Block::paragraph(diagnosis(&self.differing))]]
    }
}

/// What most likely makes the answers differ.
fn diagnosis(differing: &[Disagreement]) -> String {
    let tied = differing.iter().filter(|one| one.tied).count();
    let ties = "break ties by a stable key, such as the document id";
    let other = "look for unseeded randomness, results merged in the order in which threads finish, and \
                 an index that changes while it is asked";
    if tied == differing.len() {
        format!("The documents that changed places have equal scores: {ties}.")
    } else if tied == 0 {
        format!(
            "The documents that changed places have different scores, so ties are not the cause: {other}."
        )
    } else {
        format!(
            "In {} the documents that changed places have equal scores: {ties}. In the others the scores \
             differ: {other}.",
            counted(tied, "query", "queries")
        )
    }
}
