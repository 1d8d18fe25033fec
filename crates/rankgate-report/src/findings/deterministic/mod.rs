//! Whether asking twice, and building twice, gives the same rankings: what was seen.

pub(crate) mod message;

use std::fmt;

use crate::json::record;

use super::Kind;

record! {
    /// Whether asking twice, and building twice, gives the same rankings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeterministicFinding {
        /// Queries.
        pub queries: usize,
        /// Queries with two different answers of one build, by id.
        pub differing: Vec<Disagreement>,
        /// What a second build answered; `None` in reports that were written before builds were repeated.
        pub builds?: Option<BuildCheck>,
    }
}

record! {
    /// Whether a second build was asked as well.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum BuildCheck {
        /// It was, once.
        Repeated {
            /// Queries that it answers in another way than the first build, by id.
            differing: Vec<Disagreement>,
            /// Whether a build is the start of a program.
            program?: bool,
            /// Whether both builds are in one process, so that they share what differs from process to process.
            in_process?: bool,
        } = "repeated",
        /// It was not: the answers are those of one build.
        Skipped {
            /// Why.
            reason: OneBuild,
        } = "skipped",
    }
}

record! {
    /// Why no second build was asked.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OneBuild {
        /// The spec asks for the answers of one build.
        Spec = "spec",
        /// Building takes long, and the spec does not ask for it.
        Slow {
            /// Seconds that the first build took.
            seconds: u64,
            /// Seconds within which builds are repeated.
            limit: u64,
        } = "slow",
        /// A service runs elsewhere.
        Service = "service",
        /// Builds go by chance, as the spec says by `rebuilds`.
        Rebuilds = "rebuilds",
        /// The answers of one build differ already.
        Differing = "differing",
    }
}

impl fmt::Display for OneBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec => f.write_str("of one build, as the spec asks"),
            Self::Slow { seconds, limit } => write!(
                f,
                "of one build: it took {seconds} s, and a second one is made by itself where that takes less than \
                 {limit} s. `deterministic: {{of: builds}}` makes it always, `of: answers` says that one is enough"
            ),
            Self::Service => {
                f.write_str("of one running service: what differs from start to start was not seen")
            }
            Self::Rebuilds => {
                f.write_str("of one build: the spec has `rebuilds`, which says that builds differ")
            }
            Self::Differing => f.write_str("of one build"),
        }
    }
}

record! {
    /// A query that was answered in two ways.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Disagreement {
        /// Query id.
        pub query: String,
        /// The query's text; of a later turn of a conversation after the text of the one before it.
        pub text: String,
        /// First rank at which the answers differ.
        pub rank: usize,
        /// The documents there, in the first and the second answer.
        pub documents: [Option<String>; 2],
        /// Whether documents that changed places have the same score: the usual cause.
        pub tied: bool,
    }
}

impl DeterministicFinding {
    /// Whether all that was asked twice was answered in the same way.
    #[must_use]
    pub fn repeats(&self) -> bool {
        let by_builds = match &self.builds {
            Some(BuildCheck::Repeated { differing, .. }) => differing.is_empty(),
            Some(BuildCheck::Skipped { .. }) | None => true,
        };
        self.differing.is_empty() && by_builds
    }
}

impl Kind for DeterministicFinding {}
