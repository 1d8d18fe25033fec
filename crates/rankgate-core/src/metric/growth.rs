//! How a score depends on which unjudged documents are assumed to be relevant.

use super::metric::Metric;

/// What is known of a metric as a function of the documents that get the highest grade while the others stay as they are. It says
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::catalogue;

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
