//! Counts of answers and their claims.

use crate::gate::Form;
use crate::json::record;
use crate::words::keywords;

record! {
    /// The judge's verdicts on a configuration's answers under one metric: the counts of all claims, and of those left out of
    /// the mean.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct AnswersReport {
        /// Whose answers.
        pub configuration: String,
        /// Claims, nuggets or answers that are counted.
        pub claims: usize,
        /// Of them, supported claims; none of answers that are graded as a whole.
        pub supported: usize,
        /// Nuggets that are supported in part.
        pub partial: usize,
        /// What the contexts do not say.
        pub unsupported: usize,
        /// What they contradict.
        pub contradicted: usize,
        /// What the judge gave no verdict on: the gate's verdict is bounded over it.
        pub abstained: usize,
        /// Texts without a claim, which count as neither 0 nor 1: the gate's verdict is bounded over them, too.
        pub without_claims: usize,
        /// Sentences that cite nothing, where citations are counted.
        pub uncited?: usize,
        /// Citations of documents that were not retrieved; they support nothing.
        pub not_retrieved?: usize,
        /// Claims of the answer that the reference does not support and a context makes, where these are counted.
        pub noise?: usize,
        /// Queries whose contexts support no claim of the reference, where the use of contexts is counted; they are not in the mean.
        pub nothing_to_use?: usize,
        /// Queries with one answer, where several are compared; they are not in the mean.
        pub asked_once?: usize,
        /// The first answer or reference of these that is not empty, up to 200 characters: a refusal that is not marked as one
        /// makes no claim.
        pub claimless_text?: Option<String>,
        /// Answers that say that they do not know; they are not in the mean.
        pub declined: usize,
        /// Queries without a reference answer; they are not in the mean.
        pub without_reference: usize,
        /// Queries without nuggets that the metric counts, where it counts nuggets; they are not in the mean.
        pub without_nuggets?: usize,
    }
}

record! {
    /// A claim behind a query's score.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClaimMove {
        /// What it says.
        pub text: String,
        /// The verdict on it on the other side, where that side makes the claim.
        pub before?: Option<String>,
        /// The verdict on it now, where it is made now: `supported`, `unsupported`, `contradicted`, `partial`, `noise`, `no verdict`.
        pub after?: Option<String>,
        /// The context that decided before, and where it is among the contexts then and now.
        pub context?: Option<super::DocumentMove>,
    }
}

record! {
    /// What one side answered to a query behind a value, with what it was given and what the judge says of its claims.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ShownAnswer {
        /// Whose answer: a configuration's, or what was blessed.
        pub of: String,
        /// The answer, up to 4,000 characters; empty without one.
        pub text: String,
        /// The judge's grade of the whole answer, where the metric is that: 0 to 3, or the place of its word on a criterion's scale.
        pub grade?: Option<u8>,
        /// The criterion that it was graded by.
        pub criterion?: Option<String>,
        /// The word of the criterion's scale.
        pub word?: Option<String>,
        /// What the judge wrote with its verdicts or its grade, up to 1,000 characters.
        pub analysis?: Option<String>,
        /// The claims that the metric counts.
        pub claims?: Vec<ShownClaim>,
        /// The first five contexts, and those that decide a claim.
        pub contexts?: Vec<ShownContext>,
        /// Contexts that there are beside these.
        pub more_contexts?: usize,
    }
}

record! {
    /// A claim, and what the judge says of it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ShownClaim {
        /// What it says.
        pub text: String,
        /// Who makes it.
        pub source: ClaimSource,
        /// What the judge says.
        pub verdict: ClaimVerdict,
        /// The rank of the context that decides, where one does.
        pub context?: Option<usize>,
    }
}

record! {
    /// A text that the model was given.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ShownContext {
        /// Its place among the contexts, from 1.
        pub rank: usize,
        /// The document's id.
        pub document: String,
        /// Its text: up to 1,500 characters where it decides a claim, else up to 300.
        pub text: String,
    }
}

keywords! {
    /// Who makes a claim.
    pub enum ClaimSource {
        /// The answer.
        Answer = "answer",
        /// The query's reference answer.
        Reference = "reference",
        /// It is one of the query's nuggets.
        Nugget = "nugget",
    }
}

keywords! {
    /// What a judge says of a claim.
    pub enum ClaimVerdict {
        /// It follows from what was given.
        Supported = "supported",
        /// Of a nugget: a part of it is there.
        Partial = "partial",
        /// Nothing that was given says whether it is so.
        Unsupported = "unsupported",
        /// What was given says that it is not so.
        Contradicted = "contradicted",
        /// The reference does not support it, and a context makes it.
        Noise = "noise",
        /// The judge gave none.
        NoVerdict = "no-verdict" => "no verdict",
    }
}

impl ClaimVerdict {
    /// What a grade says of a claim that is judged in this form; nothing of what has no such grade.
    #[must_use]
    pub fn from_grade(grade: u8, form: Form) -> Option<Self> {
        Some(match (grade, form) {
            (2, _) => Self::Supported,
            (1, Form::Nuggets) => Self::Partial,
            (1, _) | (0, Form::Nuggets) => Self::Unsupported,
            (0, _) => Self::Contradicted,
            _ => return None,
        })
    }
}

keywords! {
    /// A half of a pipeline.
    #[derive(Default)]
    pub enum Half {
        /// With the blessed contexts the answers are as good as those that were blessed.
        Retrieval = "retrieval",
        /// With the blessed contexts they are as bad as now.
        Generation = "generation",
        /// With the blessed contexts the answers have the words that were blessed, and cite other documents.
        Citation = "citation",
        /// Either lowers the value.
        Both = "both",
        /// Neither does by itself.
        Neither = "neither",
        /// The answerer cannot run again, as with a file of answers, or the new answer is not judged yet.
        #[default]
        Unknown = "unknown",
    }
}

record! {
    /// Which half of a pipeline changed a value: the answerer ran again with the blessed contexts.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct ToldApart {
        /// Which.
        pub half: Half,
        /// The metric of these answers, by the judge alone.
        pub again: f64,
        /// What other contexts change: the value now less this one.
        pub retrieval: f64,
        /// What the answerer changes: this value less the blessed one.
        pub generation: f64,
        /// Whether its prompt is another than when answers were blessed.
        pub prompt_changed: bool,
        /// Claims of these answers without a judge's verdict, where there are any.
        pub missing: usize,
    }
}
