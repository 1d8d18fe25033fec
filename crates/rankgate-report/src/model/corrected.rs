//! What people's grades of a random sample make of a value that rests on a model's.

use crate::findings::PeopleTask;
use crate::json::record;
use crate::words::keywords;

use super::answers::ClaimVerdict;

keywords! {
    /// The reason why a gate on a model's judgments stays undecided, independent of its interval.
    pub enum CorrectedOpen {
        /// People judged too few of the queries that it is on.
        FewDrawn = "few-drawn" => "people judged too few queries",
        /// The sample was drawn for another judge, to which this one may have been fitted by it.
        OtherJudge = "other-judge" => "the sample was drawn for another judge",
        /// Which verdict it is depends on the documents that the model gave no grade.
        Abstentions = "abstentions" => "documents that the model gave no grade decide it",
        /// Which verdict it is depends on documents of drawn queries that no person judged.
        Unjudged = "unjudged" => "documents of drawn queries that no person judged decide it",
        /// People judged too few pairs for the judge's errors to be known, so that none are carried over.
        UnseenClass = "unseen-class" => "people gave no grade of one kind, so that the judge's errors on it are unknown",
        /// The judge's errors were carried over, and people's grades show that they have changed.
        ErrorsChanged = "errors-changed" => "people's grades show that the judge does not err alike everywhere",
    }
}

record! {
    /// A value that rests on a model's judgments, corrected by people's of a random sample.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CorrectedReport {
        /// What its judgments call the judge.
        pub judge: String,
        /// The model's name in the spec.
        pub model: String,
        /// The value by the model's judgments alone, over all queries.
        pub uncorrected: f64,
        /// What the model's scores count for beside people's of the drawn queries: 1 as much, 0 nothing.
        pub weight?: Option<f64>,
        /// Whether people judge until the verdict is there: limits and p-values then hold at every look, but for `p_people`.
        pub until?: bool,
        /// The value by people's judgments alone, over the drawn queries.
        pub people: f64,
        /// Its interval; none where they do not differ and the metric has no range.
        pub people_interval?: Option<[f64; 2]>,
        /// Two-sided p-value of the permutation test on people's scores of the drawn queries alone, against the limit
        /// that is nearest, or of a comparison against no difference.
        pub p_people: f64,
        /// Queries, or groups of them, that people judged.
        pub drawn: usize,
        /// Of so many.
        pub units: usize,
        /// Of the drawn ones, those that people and the model score differently.
        pub differing?: Option<usize>,
        /// Of a comparison, the drawn queries that score lower than on the other side by people's judgments, then those that score
        /// higher.
        pub people_moves?: Option<[usize; 2]>,
        /// Documents or claims of drawn queries within the cutoff that people and the model judge differently.
        pub disagreements?: usize,
        /// The ten of these with the largest difference, those first that people grade lower.
        pub disagreeing?: Vec<JudgeDisagreement>,
        /// How much higher than people the model scores the drawn queries, on average.
        pub leniency: f64,
        /// Its interval; none where it is the same on all drawn queries.
        pub leniency_interval?: Option<[f64; 2]>,
        /// The segment in which the model is furthest from people.
        pub worst_segment?: Option<SegmentLeniency>,
        /// How many queries, of all that there are, people would have to judge before the interval ended at the limit,
        /// where the verdict is open and so many there are; of a segment its own share of them.
        pub needed?: Option<usize>,
        /// Whether the verdict is open and would be if people judged all of these queries.
        pub by_nobody?: bool,
        /// Pairs of query and document within the cutoff without a person's grade that the model judged.
        pub pairs: usize,
        /// Those that it gave no grade: it abstained or refused, or its answer was none.
        pub abstained: usize,
        /// Documents of drawn queries within the cutoff that no person judged.
        pub unjudged: usize,
        /// The ten of these with the largest influence on the value.
        pub to_judge?: Vec<UnjudgedDocument>,
        /// The reason why the gate stays undecided, independent of its interval.
        pub open?: Option<CorrectedOpen>,
    }
}

record! {
    /// A value that rests on a model's judgments alone, calibrated by the errors that the model made where people judged as well. It
    /// assumes that the model errs on what it judged alone as on those.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CalibratedReport {
        /// What its judgments call the judge.
        pub judge: String,
        /// The model's name in the spec.
        pub model: String,
        /// The value by the model's judgments taken at their word; of a comparison, the difference.
        pub uncorrected: f64,
        /// Pairs of query and document, or claims, that people and the model judged.
        pub labels: usize,
        /// Queries, or groups of them, with such pairs.
        pub labelled: usize,
        /// Of so many.
        pub units: usize,
        /// Pairs within the cutoff that the model judged, and that count here.
        pub pairs: usize,
        /// Those that it gave no grade.
        pub abstained: usize,
        /// Of these, those that people could not grade either: answers without a claim.
        pub beyond_people: usize,
        /// What the classes of grades count, from 0 to 1: grades that the metric counts alike are one class.
        pub gains: Vec<f64>,
        /// How often people (rows, by class) and the judge (columns, by class, then no grade) judged so.
        pub confusion: Vec<Vec<u64>>,
        /// Tests of the assumption.
        pub tests?: Vec<ErrorTest>,
        /// What keeps the gate open.
        pub open?: Option<CorrectedOpen>,
    }
}

record! {
    /// Whether a judge errs alike on two groups of pairs that people judged.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ErrorTest {
        /// The second group: `later grades` beside earlier ones, `candidate` beside the baseline, `configuration` beside all others.
        pub what: String,
        /// Pairs in the first group, then in the second.
        pub pairs: [usize; 2],
        /// Two-sided p-value of the permutation test, within classes of people's grades, adjusted for their number.
        pub p: f64,
    }
}

/// A test of errors below this level shows that they are not alike.
const LEVEL: f64 = 0.05;

#[doc(hidden)]
impl ErrorTest {
    /// Whether it is of the two sides of a comparison.
    #[must_use]
    pub fn is_of_sides(&self) -> bool {
        self.what == "candidate"
    }

    /// Whether it is of what one configuration returns.
    #[must_use]
    pub fn is_of_configuration(&self) -> bool {
        self.what == "configuration"
    }

    /// Whether it shows, as one of so many, that the judge does not err alike.
    #[must_use]
    pub fn is_refuted(&self, tests: usize) -> bool {
        self.p < LEVEL / tests as f64
    }
}

impl CalibratedReport {
    /// What people would have to do for a verdict.
    pub(crate) fn people_task(&self) -> Option<PeopleTask> {
        let refuted = self.open == Some(CorrectedOpen::ErrorsChanged);
        // Which side the judge favours, only people's grades of both sides can mend.
        let by_side = self.tests.iter().any(|test| test.is_of_sides() && test.is_refuted(self.tests.len()));
        refuted.then_some(if by_side { PeopleTask::Judge } else { PeopleTask::Recalibrate })
    }
}

impl CorrectedReport {
    /// What people would have to do for a verdict.
    pub(crate) fn people_task(&self) -> Option<PeopleTask> {
        match (self.open, self.needed) {
            (Some(CorrectedOpen::OtherJudge), _) => Some(PeopleTask::Redraw { queries: self.drawn }),
            (Some(CorrectedOpen::Unjudged), _) => Some(PeopleTask::Judge),
            (_, needed) if self.until => needed.map(|_| PeopleTask::Continue),
            (_, needed) => needed.map(|queries| PeopleTask::Settle { queries }),
        }
    }
}

record! {
    /// How much higher than people a model scores the queries of a segment.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SegmentLeniency {
        /// Metadata key.
        pub key: String,
        /// Its value.
        pub value: String,
        /// Drawn queries in it.
        pub drawn: usize,
        /// How much higher, on average.
        pub leniency: f64,
    }
}

record! {
    /// A document, or a claim, that people and the model judge differently.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct JudgeDisagreement {
        /// Whose result or answer it is: the candidate's, or the baseline's.
        pub side?: Option<String>,
        /// Query id.
        pub query: String,
        /// Document id; of a claim what its judgments call it.
        pub document: String,
        /// Of a claim or an answer, what it says, up to 200 characters.
        pub text?: Option<String>,
        /// People's grade.
        pub people: u8,
        /// The model's.
        pub model: u8,
        /// Of a claim, what people's grade says, then the model's.
        pub verdicts?: Option<[ClaimVerdict; 2]>,
        /// Of an answer by a criterion, the words of people's grade and of the model's.
        pub words?: Option<[String; 2]>,
    }
}

record! {
    /// A document of a drawn query that no person judged.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UnjudgedDocument {
        /// Query id.
        pub query: String,
        /// Document id.
        pub document: String,
    }
}
