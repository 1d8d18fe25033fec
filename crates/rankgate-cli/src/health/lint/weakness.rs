//! What a gate is not up to, in words.

use crate::health::model::{Example, Finding, Severity, choose};

/// What a gate is not up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weakness {
    Errored,
    CannotPass,
    CannotFail,
    Undecidable,
    NeverBroken,
    EmptySegment,
    NothingToFind,
    MarginTooSmall,
    TooFewDiffer,
    GainUnseen,
    MarginUnseen,
    LargeFamily,
    FewQueries,
    WithinInterval,
    OnThisMachine,
    SmallestDrop,
}

impl Weakness {
    /// What to tell of the gates that it is true of.
    pub(super) fn finding(self, examples: Vec<Example>) -> Finding {
        let (severity, code, one, many, advice) = match self {
            Self::Errored => (
                Severity::Problem,
                "gate-errored",
                "gate cannot be decided, and is errored as things stand",
                "gates cannot be decided, and are errored as things stand",
                "",
            ),
            Self::CannotPass => (
                Severity::Problem,
                "gate-cannot-pass",
                "gate can never pass: no data on so few queries could show what it expects",
                "gates can never pass: no data on so few queries could show what they expect",
                "judge more queries",
            ),
            Self::CannotFail => (
                Severity::Problem,
                "gate-cannot-fail",
                "gate can never fail: no data on so few queries could show a drop",
                "gates can never fail: no data on so few queries could show a drop",
                "judge more queries, or hold the value itself to a threshold",
            ),
            Self::Undecidable => (
                Severity::Problem,
                "latency-undecidable",
                "latency gate can decide nothing: there are too few answers",
                "latency gates can decide nothing: there are too few answers",
                "add `blocks` or queries, or limit a lower quantile",
            ),
            Self::NeverBroken => (
                Severity::Problem,
                "limit-never-broken",
                "gate can never fail: its limit is the end of what the metric can be",
                "gates can never fail: their limits are the ends of what their metrics can be",
                "set a limit that a bad ranking breaks",
            ),
            Self::EmptySegment => (
                Severity::Problem,
                "gate-on-nothing",
                "gate is on a segment without queries",
                "gates are on a segment without queries",
                "name a segment that queries have",
            ),
            Self::NothingToFind => (
                Severity::Problem,
                "gate-nothing-to-find",
                "gate is on queries of which none has a relevant document",
                "gates are on queries of which none has a relevant document",
                "judge relevant documents, or look at `relevant-from`",
            ),
            Self::MarginTooSmall => (
                Severity::Problem,
                "margin-below-detectable",
                "gate has a margin below what these queries can show: a candidate as good as its baseline fails it more \
                 than one time in five",
                "gates have a margin below what these queries can show: a candidate as good as its baseline fails \
                 them more than one time in five",
                "widen the margin, or judge more queries: `rankgate power` says how many",
            ),
            Self::TooFewDiffer => (
                Severity::Caution,
                "too-few-differ",
                "gate expects a gain, and the two sides differ on so few queries that none could be shown",
                "gates expect a gain, and the two sides differ on so few queries that none could be shown",
                "judge more queries, or compare by a metric that looks at more documents",
            ),
            Self::GainUnseen => (
                Severity::Caution,
                "gain-below-detectable",
                "gate asks for a gain of which these queries cannot show twice as much: many true gains of that size will \
                 be inconclusive, and fail",
                "gates ask for a gain of which these queries cannot show twice as much: many true gains of that size \
                 will be inconclusive, and fail",
                "judge more queries, or expect more",
            ),
            Self::MarginUnseen => (
                Severity::Caution,
                "drop-below-detectable",
                "gate forgives a drop of which these queries cannot show twice as much: drops between the two mostly \
                 pass unseen",
                "gates forgive a drop of which these queries cannot show twice as much: drops between the two mostly \
                 pass unseen",
                "judge more queries; where a drop must not pass, expect `non-inferiority`",
            ),
            Self::LargeFamily => (
                Severity::Caution,
                "no-regression-of-many",
                "gate expects no regression as one of many in a family: each candidate and metric more lets larger drops of \
                 the others pass",
                "gates expect no regression as members of a large family: each candidate and metric more lets larger \
                 drops of the others pass",
                "name the metrics that the build is to stand or fall by, one entry for each question",
            ),
            Self::FewQueries => (
                Severity::Caution,
                "segment-gate-few-queries",
                "gate is on a segment of few queries, where each query counts for much",
                "gates are on a segment of few queries, where each query counts for much",
                "judge more queries of these segments, or make the gates advisory",
            ),
            Self::WithinInterval => (
                Severity::Caution,
                "threshold-within-interval",
                "gate has a limit inside the interval of the value: it says something of these queries, and nothing of \
                 others like them",
                "gates have a limit inside the interval of the value: they say something of these queries, \
                 and nothing of others like them",
                "fine as an alarm for changes; for a claim about other queries use `bound: lower`, or compare with \
                 a baseline",
            ),
            Self::OnThisMachine => (
                Severity::Caution,
                "latency-of-a-machine",
                "blocking gate is on a time that depends on the machine: it may fail where nothing has changed",
                "blocking gates are on times that depend on the machine: they may fail where nothing has changed",
                "compare with another configuration in the same process (`max-ratio`), or leave `level` out",
            ),
            Self::SmallestDrop => (
                Severity::Fact,
                "smallest-drop",
                "gate expects no regression: smaller drops than this mostly pass unseen",
                "gates expect no regression: smaller drops than these mostly pass unseen",
                "",
            ),
        };
        let count = examples.len();
        Finding {
            severity,
            code: code.into(),
            message: format!("{count} {}", choose(count, one, many)),
            count,
            examples: examples.into_iter().take(Example::MOST).collect(),
            advice: advice.into(),
        }
    }
}
