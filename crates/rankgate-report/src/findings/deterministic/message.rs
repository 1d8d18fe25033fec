//! Whether asking twice, and building twice, gives the same rankings.

use crate::model::{BuildCheck, DeterministicFinding, Disagreement, OneBuild, Verdict};
use crate::report::number::{count, counted, queries};
use crate::report::page::{Block, Part, Text};
use crate::words::agree;

use crate::report::message::{Context, Message, movers};

impl Message for DeterministicFinding {
    fn headline(&self, context: &Context) -> String {
        let said = match (context.gate.verdict, self.second_build()) {
            (Verdict::Passed, Some((_, how))) => {
                format!("ranks the same when asked twice and {}", how.twice())
            }
            (Verdict::Passed, None) => "ranks the same when asked twice".to_owned(),
            (Verdict::Inconclusive | Verdict::Errored | Verdict::Skipped | Verdict::Reported, _) => {
                "could not be asked twice".to_owned()
            }
            (Verdict::Failed | Verdict::Advisory, Some((_, how))) if self.differing.is_empty() => {
                format!("ranks differently when {}", how.twice())
            }
            (Verdict::Failed | Verdict::Advisory, _) => {
                "ranks differently when asked the same query twice".to_owned()
            }
        };
        format!("{} {said}", context.name())
    }

    fn short(&self, _: usize) -> Text {
        let all = queries(self.queries);
        if !self.differing.is_empty() {
            return format!("{} of {all} ranked differently", count(self.differing.len())).into();
        }
        let rank = agree(self.queries, "ranks", "rank");
        let Some((differing, how)) = self.second_build() else {
            let of = match &self.builds {
                Some(BuildCheck::Skipped { reason: OneBuild::Service }) => "of one service",
                _ => "of one build",
            };
            return format!("{all} {rank} the same twice, {of}").into();
        };
        match differing.len() {
            0 => format!("{all} {rank} the same, {}", how.twice()),
            some => format!("{} of {all} ranked differently, {}", count(some), how.twice()),
        }
        .into()
    }

    /// That builds would have been repeated, had they been faster.
    fn warnings(&self) -> Vec<String> {
        match &self.builds {
            Some(BuildCheck::Skipped { reason: reason @ OneBuild::Slow { .. } }) => vec![reason.to_string()],
            _ => Vec::new(),
        }
    }

    fn body(&self, _: &Context) -> Vec<Part> {
        let seen = self.short(0);
        let second = self.second_build();
        let (differing, by_builds) = match second {
            Some((differing, how)) if self.differing.is_empty() => (differing, Some(how)),
            _ => (&self.differing[..], None),
        };
        if differing.is_empty() {
            let reason = match &self.builds {
                Some(BuildCheck::Skipped { reason }) => vec![Block::paragraph(reason.to_string())],
                _ => Vec::new(),
            };
            return vec![vec![Block::Line(seen)], reason];
        }
        let first = vec![
            Block::Line(seen.and("; where the answers first part:")),
            movers::parted(differing, differing.len()),
        ];
        let mut parts = vec![first];
        if let Some(how) = by_builds {
            let cause = if how == Build::Start { "starting" } else { "building" };
            let asked =
                format!("Asked twice, the first one ranks the same: the difference comes from {cause} it.");
            parts.push(vec![Block::paragraph(asked)]);
        }
        parts.push(vec![Block::paragraph(diagnosis(differing, by_builds))]);
        parts
    }
}

impl DeterministicFinding {
    /// Where a second build was asked, the queries that it answers in another way, and how a build is made.
    fn second_build(&self) -> Option<(&[Disagreement], Build)> {
        match &self.builds {
            Some(BuildCheck::Repeated { differing, program, in_process }) => {
                let build = match (program, in_process) {
                    (_, true) => Build::InProcess,
                    (true, false) => Build::Start,
                    (false, false) => Build::Here,
                };
                Some((differing, build))
            }
            Some(BuildCheck::Skipped { .. }) | None => None,
        }
    }
}

/// How a build is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    /// A program is started.
    Start,
    /// In a process that serves both builds.
    InProcess,
    /// By the test itself.
    Here,
}

impl Build {
    fn twice(self) -> &'static str {
        match self {
            Self::Start => "started twice",
            Self::InProcess => "built twice in one process",
            Self::Here => "built twice",
        }
    }
}

/// What most likely makes the answers differ, of one build or of two.
fn diagnosis(differing: &[Disagreement], by_builds: Option<Build>) -> String {
    let tied = differing.iter().filter(|one| one.tied).count();
    let ties = match by_builds {
        None | Some(Build::InProcess) => "break ties by a stable key, such as the document id",
        Some(Build::Start) => {
            "break ties by a stable key, such as the document id. A set of Python's has another order in every process \
             (the second one got another PYTHONHASHSEED)"
        }
        Some(Build::Here) => {
            "break ties by a stable key, such as the document id. A `HashMap` has another order in every build"
        }
    };
    let other = match by_builds {
        None => {
            "look for unseeded randomness, results merged in the order in which threads finish, and \
             an index that changes while it is asked"
        }
        Some(_) => {
            "look for unseeded randomness, an index that several threads fill in the order in which they finish, and \
             sums over maps or sets, whose order is another every time"
        }
    };
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
