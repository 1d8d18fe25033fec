//! What a gate knows of a value while people have not judged all that it takes.

pub(crate) mod message;

use crate::gate::{Expect, Verdict};
use crate::json::record;
use crate::metric::Polarity;
use crate::model::Movers;
use crate::model::{AnswersReport, ToldApart};
use crate::model::{CorrectedOpen, UnjudgedDocument};

use super::{Kind, PeopleTask, ValueByJudge};

record! {
    /// A value that people are to correct, and of which they have not judged everything: there is none, and it lies between two
    /// bounds. In each of them all that no person judged has one answer. Of a comparison they are bounds of the difference,
    /// candidate minus baseline.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BoundsFinding {
        /// Canonical name.
        pub metric: String,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// Of a comparison, what the configuration is compared with.
        pub baseline?: Option<String>,
        /// Of a comparison, the expectation.
        pub expect?: Option<Expect>,
        /// Of a comparison, the tolerance, margin or smallest gain; `None` where it is 0.
        pub limit?: Option<f64>,
        /// Smallest value allowed.
        pub min?: Option<f64>,
        /// Largest value allowed.
        pub max?: Option<f64>,
        /// The value with the worst answer for all that no person judged; `None` where people judged fewer than two of the
        /// queries.
        pub lowest?: Option<BoundReport>,
        /// The same with the best answer.
        pub highest?: Option<BoundReport>,
        /// Queries that the value is taken over.
        pub queries: usize,
        /// How many of them the configuration did not answer.
        pub unanswered: usize,
        /// What its judgments call the judge.
        pub judge: String,
        /// The model's name in the spec.
        pub model: String,
        /// The value by the model's judgments alone, over all queries.
        pub uncorrected: f64,
        /// Queries, or groups of them, that were drawn for people.
        pub drawn: usize,
        /// Of the drawn ones, those of which people judged everything that the value takes.
        pub judged_whole: usize,
        /// Of so many.
        pub units: usize,
        /// Pairs of query and document within the cutoff without a person's grade that the model judged.
        pub pairs: usize,
        /// Those that it gave no grade.
        pub abstained: usize,
        /// Documents of drawn queries within the cutoff that no person judged; claims, of a metric of answers.
        pub unjudged: usize,
        /// Of these, pairs that people cannot grade: answers without a claim.
        pub beyond_people: usize,
        /// The ten of them with the largest influence on the value.
        pub to_judge?: Vec<UnjudgedDocument>,
        /// What keeps the gate open.
        pub open?: Option<CorrectedOpen>,
        /// What should be known before the bounds are believed.
        pub cautions?: Vec<String>,
        /// Of a metric of answers, the counts of their claims: the configuration's, then the baseline's.
        pub answers?: Vec<AnswersReport>,
        /// Of a metric of answers against blessed ones: which half of the pipeline lost what was lost, by the judge.
        pub told_apart?: Option<ToldApart>,
        /// Queries that explain the value, by the model's judgments.
        pub movers: Movers,
    }
}

record! {
    /// One bound of a value.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BoundReport {
        /// The value there.
        pub value: f64,
        /// The limits of its interval; `None` where the scores have no spread.
        pub interval?: Option<[f64; 2]>,
        /// What the gate would come to there.
        pub verdict: Verdict,
    }
}

impl Kind for BoundsFinding {
    fn movers(&self) -> Option<&Movers> {
        Some(&self.movers)
    }

    fn says_better(&self) -> Option<(&str, Polarity)> {
        let says = match self.baseline {
            Some(_) => Polarity::MoreIsBetter,
            None => Polarity::Unknown.or_limits([(self.min.is_some(), self.max.is_some())]),
        };
        Some((&self.metric, says))
    }

    fn people_task(&self) -> Option<PeopleTask> {
        match self.open {
            Some(CorrectedOpen::FewDrawn) => Some(PeopleTask::Draw { queries: self.units }),
            Some(CorrectedOpen::OtherJudge) => Some(PeopleTask::Redraw { queries: self.drawn }),
            _ => (self.unjudged > self.beyond_people).then_some(PeopleTask::Judge),
        }
    }

    fn values_by_judge(&self) -> Vec<ValueByJudge<'_>> {
        // The bounds of a comparison are those of a difference.
        let is_value = self.baseline.is_none();
        let bounds = self.lowest.as_ref().zip(self.highest.as_ref());
        let value = ValueByJudge {
            configuration: None,
            judge: Some(&self.judge),
            value: None,
            interval: None,
            bounds: bounds.map(|(low, high)| [low.value, high.value]),
        };
        is_value.then_some(value).into_iter().collect()
    }
}
