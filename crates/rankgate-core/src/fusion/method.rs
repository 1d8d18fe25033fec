//! The methods: how what a document has in several rankings becomes one score.

use crate::words::keywords;

keywords! {
    /// How what a document has in several rankings becomes one score.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum FusionMethod {
        /// Sum of 1 / (k + rank): reciprocal rank fusion.
        #[default]
        Rrf = "rrf",
        /// Sum of 1 / rank², times the number of rankings with the document.
        Isr = "isr",
        /// Sum of 1 / rank², times the logarithm of that number.
        LogIsr = "log-isr",
        /// Sum of 1 / rank², times the logarithm of that number + sigma.
        LognIsr = "logn-isr",
        /// Sum of (1 - phi) phi^(rank - 1): rank-biased centroids.
        Rbc = "rbc",
        /// Points by rank, from the number of candidates down to 1; documents that a ranking lacks share its remaining points.
        Borda = "borda",
        /// Sum of weight times score.
        Weighted = "weighted",
        /// Sum of the scores.
        CombSum = "combsum",
        /// Sum of the scores, times the number of rankings with the document.
        CombMnz = "combmnz",
        /// Sum of the scores, times that number to the power of gamma.
        CombGmnz = "combgmnz",
        /// Mean of the scores in the rankings with the document.
        CombAnz = "combanz",
        /// The highest score.
        CombMax = "combmax",
        /// The lowest score in the rankings with the document.
        CombMin = "combmin",
        /// The median of the scores in the rankings with the document.
        CombMed = "combmed",
        /// Sum of weight times score, times the square root of the number of rankings with the document.
        Mixed = "mixed",
    }
}

/// What a method is told beside weights.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name: `k`, `sigma`, `phi` or `gamma`.
    pub name: &'static str,
    /// What it is where nothing is said; `None` where it has to be said.
    pub default: Option<f64>,
    /// What it may be, in words.
    pub range: &'static str,
    pub(super) allows: fn(f64) -> bool,
}

/// Whether a method takes weights, one for each ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// It takes none.
    Refused,
    /// It takes them; by default each is 1.
    Allowed,
    /// It needs them.
    Required,
}

impl FusionMethod {
    /// Whether it looks at ranks alone, so that scores are neither needed nor normalised.
    #[must_use]
    pub fn is_by_rank(self) -> bool {
        matches!(self, Self::Rrf | Self::Isr | Self::LogIsr | Self::LognIsr | Self::Rbc | Self::Borda)
    }

    /// Whether it takes weights.
    #[must_use]
    pub fn weights(self) -> Weights {
        match self {
            Self::Weighted => Weights::Required,
            Self::Rrf | Self::Borda | Self::CombMnz | Self::Mixed => Weights::Allowed,
            _ => Weights::Refused,
        }
    }

    /// Its parameter, if it has one.
    #[must_use]
    pub fn parameter(self) -> Option<Parameter> {
        let parameter = |name, default, range, allows| Some(Parameter { name, default, range, allows });
        match self {
            Self::Rrf => parameter("k", Some(60.0), "a number of at least 0", |k| k >= 0.0),
            Self::LognIsr => {
                parameter("sigma", Some(0.01), "from 0 to 1", |sigma| (0.0..=1.0).contains(&sigma))
            }
            Self::Rbc => parameter("phi", None, "above 0 and below 1", |phi| phi > 0.0 && phi < 1.0),
            Self::CombGmnz => parameter("gamma", None, "a number", |_| true),
            _ => None,
        }
    }
}
