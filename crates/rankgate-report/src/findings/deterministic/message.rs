//! Whether asking twice, and building twice, gives the same rankings.

use crate::model::{DeterministicFinding, Verdict, Warning};
use crate::report::number::{count, queries};
use crate::report::page::{Block, Part};
use crate::words::agree;

use crate::findings::Kind;
use crate::report::message::{Context, movers};

impl Kind for DeterministicFinding {
    fn headline(&self, context: &Context) -> String {
        let said = match (context.gate.verdict, &self.built) {
            (Verdict::Passed, Some(how)) => format!("ranks the same when asked twice and {how}"),
            (Verdict::Passed, None) => "ranks the same when asked twice".to_owned(),
            (Verdict::Inconclusive | Verdict::Error | Verdict::Reported, _) => {
                "could not be asked twice".to_owned()
            }
            (Verdict::Failed | Verdict::Advisory, Some(how)) => format!("ranks differently when {how}"),
            (Verdict::Failed | Verdict::Advisory, None) => {
                "ranks differently when asked the same query twice".to_owned()
            }
        };
        format!("{} {said}", context.name())
    }

    fn short(&self, _: usize) -> String {
        let all = queries(self.queries);
        let rank = agree(self.queries, "ranks", "rank");
        let of = || self.one_build.as_deref().and_then(|why| why.split([':', ',']).next());
        match (self.differing.len(), &self.built) {
            (0, None) => format!("{all} {rank} the same twice, {}", of().unwrap_or("of one build")),
            (0, Some(how)) => format!("{all} {rank} the same, {how}"),
            (some, None) => format!("{} of {all} ranked differently", count(some)),
            (some, Some(how)) => format!("{} of {all} ranked differently, {how}", count(some)),
        }
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn body(&self, _: &Context) -> Vec<Part> {
        let seen = self.short(0);
        if self.differing.is_empty() {
            let reason = self.one_build.iter().map(Block::paragraph).collect();
            return vec![vec![Block::Line(seen)], reason];
        }
        let parted = movers::parted(&self.differing, self.differing.len());
        let mut parts = vec![vec![Block::Line(seen + "; where the answers first part:"), parted]];
        parts.extend(self.diagnosis.iter().map(|text| vec![Block::paragraph(text)]));
        parts
    }
}
