//! What a gate on answer times saw.

pub(crate) mod message;

use std::fmt;

use crate::json::record;
use crate::stats::{LatencyReason, Quantile};
use crate::words::{agree, counted};

use super::Kind;

record! {
    /// A limit on answer times. Times are service times, in milliseconds: one request follows the other, and
    /// nothing waits.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LatencyFinding {
        /// Which of the times is held to the limit.
        pub quantile: Quantile,
        /// The configuration that it is compared with, where it is.
        pub baseline?: Option<String>,
        /// The longest that it may be, in milliseconds, where it is held to a time.
        pub max_ms?: Option<f64>,
        /// How many times the baseline's it may be, where it is held to that.
        pub max_ratio?: Option<f64>,
        /// What the verdict rests on.
        pub reason: LatencyReason,
        /// The value that the limit applies to: the quantile in milliseconds, or the ratio. Of p50 the ratio is that of typical
        /// times: the mean over the queries of the median over the blocks, of its logarithm.
        pub value?: Option<f64>,
        /// Its two-sided interval.
        pub interval?: Option<[f64; 2]>,
        /// Of a ratio: one-sided p-values that it is above the limit, and below it; each is held against half of 1 less the
        /// confidence.
        pub p_above?: Option<f64>,
        /// That it is below the limit.
        pub p_below?: Option<f64>,
        /// Of a ratio: what the baseline shows against itself.
        pub noise?: Option<NoiseReport>,
        /// Timed passes over the queries, and untimed passes before them.
        pub blocks: usize,
        /// Blocks that were dropped by rule.
        pub warm_up: usize,
        /// The fewest blocks that can decide a ratio.
        pub blocks_needed: usize,
        /// Queries in each block.
        pub queries: usize,
        /// Queries in each batch, where a side takes batches: times are then of batches.
        pub batch?: Option<usize>,
        /// How many there are of what has to be enough: times of a side or, of a ratio of p50, queries or batches.
        pub answers: usize,
        /// How many of them it takes.
        pub answers_needed: usize,
        /// What was measured: of the configuration that is judged and, of a ratio, of its baseline; empty where nothing was.
        pub sides: Vec<LatencySide>,
        /// What it was measured on.
        pub machine?: Option<MachineReport>,
        /// What else a reader should know.
        pub cautions?: Vec<LatencyCaution>,
    }
}

record! {
    /// The baseline against itself, in the same blocks.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct NoiseReport {
        /// The ratio, which would be 1 without noise.
        pub ratio: f64,
        /// Its interval.
        pub interval?: Option<[f64; 2]>,
        /// The smallest difference that can be seen: 0.18 is 18%. `None` where none can.
        pub least?: Option<f64>,
    }
}

record! {
    /// Times of one side, all blocks pooled. A quantile that so few times give no interval is left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LatencySide {
        /// The configuration.
        pub configuration: String,
        /// The median.
        pub p50? = "p50_ms": Option<f64>,
        /// What one of twenty exceeds.
        pub p95? = "p95_ms": Option<f64>,
        /// What one of a hundred exceeds.
        pub p99? = "p99_ms": Option<f64>,
        /// The slowest.
        pub max = "max_ms": f64,
        /// Mean number of results of a query: an answer may be faster because it is shorter.
        pub results: f64,
        /// The distribution: a time in milliseconds, and the share of all times that are at most this.
        pub distribution: Vec<[f64; 2]>,
    }
}

record! {
    /// The machine, while it measured.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MachineReport {
        /// The shortest time that its clock can tell from none, in nanoseconds.
        pub clock_ns: u64,
        /// Its processors.
        pub processors: usize,
        /// Programs that wanted to run in the last minute, before and after, where the system tells.
        pub load?: Option<[f64; 2]>,
    }
}

record! {
    /// What a reader should know before believing the verdict on answer times; its text is a sentence for people.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum LatencyCaution {
        /// The faster side returns fewer results.
        ReturnsLess {
            /// The configuration.
            configuration: String,
            /// Mean number of its results.
            results: f64,
            /// The other side's.
            against: f64,
        } = "returns-less",
        /// Timed answers are not those that are scored.
        OtherAnswers {
            /// The configuration.
            configuration: String,
            /// Timed answers that rank other documents, or in another order, than the scored answer to the same query.
            other: usize,
            /// Of them, those that have fewer results.
            shorter: usize,
            /// How many were timed.
            answers: usize,
        } = "other-answers",
        /// The retriever was built without optimization.
        Unoptimized {
            /// The configuration.
            configuration: String,
        } = "unoptimized",
        /// It is inconclusive, and fails nothing because the spec says so.
        FailsNothing = "fails-nothing",
        /// The times are so short that the ticks of the clock are among them.
        ClockTicks {
            /// The configuration.
            configuration: String,
        } = "clock-ticks",
    }
}

impl fmt::Display for LatencyCaution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReturnsLess { configuration, results, against } => write!(
                f,
                "{configuration} is faster and returns less: {results:.1} results a query where the other side returns \
                 {against:.1}"
            ),
            Self::OtherAnswers { configuration, other, shorter, answers } => {
                let ranks = agree(*other, "ranks", "rank");
                write!(
                    f,
                    "{other} of the {} of {configuration} {ranks} otherwise than the one to the same query that is scored",
                    counted(*answers, "timed answer", "timed answers")
                )?;
                match shorter {
                    0 => Ok(()),
                    shorter => write!(f, ", and {shorter} {} fewer results", agree(*shorter, "has", "have")),
                }
            }
            Self::Unoptimized { configuration } => {
                write!(
                    f,
                    "{configuration} was built without optimization: it will not be as slow where it is used"
                )
            }
            Self::FailsNothing => f.write_str(
                "it would be inconclusive, and fails nothing because the spec says `inconclusive: warn`",
            ),
            Self::ClockTicks { configuration } => write!(
                f,
                "half of the answers of {configuration} take fewer than a hundred ticks of the clock, which rounds them"
            ),
        }
    }
}

impl Kind for LatencyFinding {}
