//! How a score depends on which unjudged documents are assumed to be relevant.

use super::metric::Metric;

/// What is known of a metric as a function of the documents that get the highest grade while the others are not relevant. It says
/// which of these sets have to be tried to find the lowest and the highest score.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// A sum over the ranks of relevant documents, over a divisor. The divisor depends on nothing but how many documents of the
    /// query are relevant, never falls as they become more, and is the same for every ranking.
    Sum,
    /// It depends on the first relevant document alone.
    First,
    /// A numerator that no further relevant document lowers, over such a divisor. With as many relevant documents it is never
    /// higher where one of them ranks lower.
    Quotient,
    /// With as many relevant documents it is never higher where one of them ranks lower.
    Ranks,
    /// None of these.
    Unknown,
}

impl Metric {
    /// See [`Growth`].
    #[doc(hidden)]
    #[must_use]
    pub fn growth(&self) -> Growth {
        match self.reached() {
            // Where the score is never higher, it never reaches more.
            Some((metric, _)) if metric.growth() != Growth::Unknown => Growth::Ranks,
            Some(_) => Growth::Unknown,
            None => self.definition().map_or(Growth::Unknown, |definition| definition.growth),
        }
    }

    /// Whether a document without a grade may not be the same to it as one that is judged and not relevant. Of a metric of
    /// one's own nobody knows.
    #[doc(hidden)]
    #[must_use]
    pub fn tells_unjudged_apart(&self) -> bool {
        match self.reached() {
            Some((metric, _)) => metric.tells_unjudged_apart(),
            None => self.definition().is_none_or(|definition| definition.tells_unjudged_apart),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::{JudgedRanking, catalogue};

    #[test]
    fn metrics_of_grades_say_how_they_grow() {
        let of_grades = |row: &&&crate::metric::Definition| {
            let needed = row.requirements();
            needed.relevance && !needed.documents && !needed.subtopics
        };
        let unknown = catalogue().iter().filter(of_grades).filter(|row| row.growth == Growth::Unknown);
        // ContextAP divides by what is relevant in the list; infAP counts those of the pool without a grade.
        assert_eq!(unknown.map(|row| row.name()).collect::<Vec<_>>(), ["infAP", "ContextAP"]);
    }

    /// Metrics of grades at some cutoff.
    fn of_grades() -> impl Iterator<Item = Metric> {
        let rows = catalogue().iter().filter(|row| {
            let needed = row.requirements();
            needed.relevance && !needed.documents && !needed.subtopics
        });
        rows.map(|row| row.patterns()[0].replace("@k", "@4").replace("@recall", "@0.37").parse().unwrap())
    }

    proptest! {
        /// What no grade and grade 0 are the same to has the same value of both, wherever the document stands.
        #[test]
        fn grade_0_is_no_grade_to_metrics_that_tell_them_not_apart(
            grades in prop::collection::vec(prop::option::of(0..3), 0..8),
            missed in prop::collection::vec(0..3, 0..4),
        ) {
            let zero = |grade: &Option<i32>| Some(grade.unwrap_or(0));
            let ranking = |ranked: Vec<Option<i32>>| {
                let judged = ranked.iter().flatten().chain(&missed).copied().collect();
                JudgedRanking::new(ranked, judged)
            };
            let (plain, judged) =
                (ranking(grades.clone()), ranking(grades.iter().map(zero).collect()));
            for metric in of_grades().filter(|metric| !metric.tells_unjudged_apart()) {
                prop_assert_eq!(metric.compute(&plain), metric.compute(&judged), "{}", metric);
            }
        }
    }

    #[test]
    fn what_passes_over_unjudged_documents_tells_them_apart() {
        let apart = of_grades().filter(Metric::tells_unjudged_apart).map(|metric| metric.to_string());
        assert_eq!(apart.collect::<Vec<_>>(), ["Bpref", "infAP"]);
        let share: Metric = "Bpref>=0.5".parse().unwrap();
        assert!(share.tells_unjudged_apart());
    }

    #[test]
    fn a_share_of_queries_grows_as_its_metric_does() {
        for (name, growth) in [
            ("nDCG@10", Growth::Sum),
            ("nDCG@10>=0.5", Growth::Ranks),
            ("ContextAP@5>=0.5", Growth::Unknown),
            ("RR@10", Growth::First),
            ("AP", Growth::Quotient),
        ] {
            assert_eq!(name.parse::<Metric>().unwrap().growth(), growth, "{name}");
        }
    }
}
