//! The metrics of answers.

use crate::gate::Form;
use crate::metric::Metric;

/// The metrics of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerMetric {
    /// Claims of the answer that the contexts support.
    Faithfulness,
    /// Claims of the reference that they support.
    ContextRecall,
    /// Nuggets that they support.
    NuggetRecall,
    /// Claims that answer and reference share.
    AnswerCorrectness,
    /// Whether it is an answer to the query.
    AnswerRelevance,
    /// What it is by a criterion of the spec.
    Criterion,
    /// Citations that say what their sentences say.
    CitationPrecision,
    /// Sentences that a document says which they cite.
    CitationRecall,
    /// Nuggets that the answer holds.
    NuggetAll,
    /// The same of vital ones.
    NuggetVital,
    /// Claims of the reference in the contexts that the answer makes.
    ContextUtilization,
    /// Wrong claims that a relevant context makes.
    NoiseInRelevant,
    /// Wrong claims that only irrelevant ones make.
    NoiseInIrrelevant,
    /// Claims of the answer that its repeats make.
    Consistency,
}

/// What a judge has verdicts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgedUnit {
    /// A claim of the answer or of the reference.
    Claim,
    /// A nugget.
    Nugget,
    /// A sentence of the answer with a document that it cites.
    Citation,
    /// The whole answer.
    Answer,
}

impl AnswerMetric {
    /// The metric, if it is one of answers.
    pub(crate) fn from_metric(metric: &Metric) -> Option<Self> {
        let metric = metric.reached().map_or(metric, |(metric, _)| metric);
        match metric.definition()?.name() {
            "Faithfulness" => Some(Self::Faithfulness),
            "ContextRecall" => Some(Self::ContextRecall),
            "NuggetRecall" => Some(Self::NuggetRecall),
            "AnswerCorrectness" => Some(Self::AnswerCorrectness),
            "AnswerRelevance" => Some(Self::AnswerRelevance),
            "Criterion" => Some(Self::Criterion),
            "CitationPrecision" => Some(Self::CitationPrecision),
            "CitationRecall" => Some(Self::CitationRecall),
            "NuggetAll" | "NuggetAllStrict" => Some(Self::NuggetAll),
            "NuggetVital" | "NuggetVitalStrict" => Some(Self::NuggetVital),
            "ContextUtilization" => Some(Self::ContextUtilization),
            "NoiseSensitivityInRelevant" => Some(Self::NoiseInRelevant),
            "NoiseSensitivityInIrrelevant" => Some(Self::NoiseInIrrelevant),
            "AnswerConsistency" => Some(Self::Consistency),
            _ => None,
        }
    }

    /// What its score is put together from.
    pub(crate) fn unit(self) -> JudgedUnit {
        match self {
            Self::Faithfulness
            | Self::ContextRecall
            | Self::AnswerCorrectness
            | Self::ContextUtilization
            | Self::NoiseInRelevant
            | Self::NoiseInIrrelevant
            | Self::Consistency => JudgedUnit::Claim,
            Self::NuggetRecall | Self::NuggetAll | Self::NuggetVital => JudgedUnit::Nugget,
            Self::CitationPrecision | Self::CitationRecall => JudgedUnit::Citation,
            Self::AnswerRelevance | Self::Criterion => JudgedUnit::Answer,
        }
    }

    /// What a judge says of each claim; nothing where the whole answer has a grade.
    pub(crate) fn form(self) -> Option<Form> {
        match self.unit() {
            JudgedUnit::Claim => Some(Form::Support),
            JudgedUnit::Nugget | JudgedUnit::Citation => Some(Form::Nuggets),
            JudgedUnit::Answer => None,
        }
    }

    /// Whether it counts claims of this name within their list: of an answer, of a reference, or nuggets.
    #[cfg(feature = "judge")]
    pub(super) fn counts(self, claim: &str) -> bool {
        match self {
            Self::Faithfulness | Self::Consistency => claim.starts_with('a'),
            Self::ContextRecall => claim.starts_with('r'),
            Self::CitationPrecision | Self::CitationRecall => claim.starts_with('s'),
            Self::NuggetVital => claim.starts_with('v'),
            Self::NuggetAll => claim.starts_with(['v', 'o']),
            Self::NuggetRecall | Self::AnswerCorrectness | Self::AnswerRelevance | Self::Criterion => true,
            // Several verdicts make one of its claims.
            Self::ContextUtilization | Self::NoiseInRelevant | Self::NoiseInIrrelevant => false,
        }
    }

    /// Whether it takes a reference answer of each query.
    #[cfg(feature = "judge")]
    pub(crate) fn needs_reference(self) -> bool {
        // What a criterion shows is the spec's.
        matches!(
            self,
            Self::ContextRecall
                | Self::AnswerCorrectness
                | Self::ContextUtilization
                | Self::NoiseInRelevant
                | Self::NoiseInIrrelevant
        )
    }

    /// Whether the whole answer has one grade.
    pub(crate) fn is_one_grade(self) -> bool {
        self.form().is_none()
    }

    /// Whether what was answered has a part in it, and not only what was given to answer with.
    pub(crate) fn is_of_texts(self) -> bool {
        !matches!(self, Self::ContextRecall | Self::NuggetRecall)
    }

    /// Whether its items are judged by what the answerer was given.
    pub(crate) fn is_by_contexts(self) -> bool {
        !matches!(self, Self::AnswerCorrectness | Self::NuggetAll | Self::NuggetVital | Self::Consistency)
    }

    /// Whether it takes what sentences cite.
    pub(crate) fn is_of_citations(self) -> bool {
        self.unit() == JudgedUnit::Citation
    }
}
