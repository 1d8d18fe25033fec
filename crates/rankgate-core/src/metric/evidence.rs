//! How much of the evidence retrieved passages cover: `EvidenceRecall`, `EvidencePrecision`, `EvidenceIoU`.
//!
//! Evidence are judged spans of documents, whatever chunks these are cut into. With the characters (Unicode scalar values)
//! of all relevant spans E, those of the retrieved passages R, and those of both C, each counted once however often it is
//! retrieved:
//!
//! - `EvidenceRecall` = C / E.
//! - `EvidencePrecision` = C / R; 0 where nothing is retrieved.
//! - `EvidenceIoU` = C / (E + R - C).
//!
//! After `@` stands what is looked at: the first k passages (`@10`), or as much text as goes into a budget, `@4000chars` or
//! `@1000tokens`, of which the last passage is cut where the budget ends. A passage uses up the budget as often as it is
//! retrieved. Tokens are words between white space. Budgets compare chunkers: ten chunks of 200 characters and ten of 2,000
//! are not the same.
//!
//! Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024, whose precision counts characters
//! in the overlap of two chunks twice and whose k is the number of chunks that hold evidence.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::lengths::LengthUnit;
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;

pub(super) static RECALL: Definition = Definition::new(
    "EvidenceRecall",
    "characters of the evidence that are retrieved / all of them",
    grades_alone,
)
.written(&["EvidenceRecall@k", "EvidenceRecall@4000chars", "EvidenceRecall@1000tokens"])
.at(CutoffKind::Limit)
.of_evidence(|asked| share(asked, |found| (found.covered, found.evidence)));

pub(super) static PRECISION: Definition = Definition::new(
    "EvidencePrecision",
    "characters of the evidence / characters that are retrieved",
    grades_alone,
)
.written(&["EvidencePrecision@k", "EvidencePrecision@4000chars", "EvidencePrecision@1000tokens"])
.at(CutoffKind::Limit)
.of_evidence(|asked| share(asked, |found| (found.covered, found.retrieved)));

pub(super) static IOU: Definition = Definition::new(
    "EvidenceIoU",
    "evidence that is retrieved / evidence and what is retrieved",
    grades_alone,
)
.written(&["EvidenceIoU@k", "EvidenceIoU@4000chars", "EvidenceIoU@1000tokens"])
.at(CutoffKind::Limit)
.of_evidence(|asked| share(asked, |found| (found.covered, found.evidence + found.retrieved - found.covered)));

/// Characters of evidence and of what was retrieved, each counted once.
///
/// ```
/// use rankgate::metric::{Coverage, Metric, RankedQuery};
///
/// // 80 of 100 characters of evidence are among 400 that were retrieved.
/// let found = Coverage { evidence: 100, retrieved: 400, covered: 80 };
/// let asked = RankedQuery::new("q1", "", ["refunds#char=0,400"], []).with_coverage(found);
/// let score = |name: &str| name.parse::<Metric>()?.compute_of_query(&asked);
/// assert_eq!((score("EvidenceRecall@10")?, score("EvidencePrecision@4000chars")?), (0.8, 0.2));
/// assert_eq!(score("EvidenceIoU@10")?, 80.0 / 420.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Characters of the relevant spans.
    pub evidence: usize,
    /// Characters of the retrieved passages.
    pub retrieved: usize,
    /// Characters of both.
    pub covered: usize,
}

/// How much of a ranking of passages is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// So many passages.
    Results(usize),
    /// So many characters of them.
    Characters(usize),
    /// So many words of them.
    Tokens(usize),
}

impl Limit {
    /// The unit of a budget; `None` of a number of passages.
    pub(super) fn unit(self) -> Option<LengthUnit> {
        match self {
            Self::Results(_) => None,
            Self::Characters(_) => Some(LengthUnit::Characters),
            Self::Tokens(_) => Some(LengthUnit::Tokens),
        }
    }

    /// How many passages, characters or tokens it is.
    pub(crate) fn most(self) -> usize {
        let (Self::Results(most) | Self::Characters(most) | Self::Tokens(most)) = self;
        most
    }
}

fn grades_alone(_: &JudgedRanking, _: &Parameters) -> f64 {
    f64::NAN
}

fn share(asked: &RankedQuery<'_>, of: impl Fn(Coverage) -> (usize, usize)) -> f64 {
    let Some((part, whole)) = asked.coverage().map(of) else { return f64::NAN };
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    #[test]
    fn limits_are_results_characters_or_words() {
        for (text, canonical, cutoff, limit) in [
            ("evidencerecall@10", "EvidenceRecall@10", Some(10), Limit::Results(10)),
            ("EvidenceIoU@4000chars", "EvidenceIoU@4000chars", None, Limit::Characters(4000)),
            ("EvidenceIoU@4000 characters", "EvidenceIoU@4000chars", None, Limit::Characters(4000)),
            ("EvidencePrecision@01000tokens", "EvidencePrecision@1000tokens", None, Limit::Tokens(1000)),
        ] {
            let metric: Metric = text.parse().unwrap();
            assert_eq!((metric.to_string().as_str(), metric.cutoff()), (canonical, cutoff));
            assert_eq!(metric.limit(), Some(limit));
        }
        for (text, message) in [
            (
                "EvidenceRecall",
                "EvidenceRecall needs a cutoff, as in `EvidenceRecall@10` or `EvidenceRecall@4000chars`",
            ),
            ("EvidenceRecall@0", "at least 1"),
            ("EvidenceRecall@0chars", "at least 1"),
            ("EvidenceRecall@10words", "`@10`, `@4000chars` or `@1000tokens`"),
            ("Judged@4000chars", "a whole number of documents"),
        ] {
            let error = text.parse::<Metric>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn nothing_is_0_and_no_evidence_at_all_is_an_error() {
        let asked = RankedQuery::new("q1", "", [], []);
        let nothing = asked.clone().with_coverage(Coverage { evidence: 10, retrieved: 0, covered: 0 });
        for name in ["EvidenceRecall@3", "EvidencePrecision@3", "EvidenceIoU@3"] {
            let metric: Metric = name.parse().unwrap();
            assert_eq!(metric.compute_of_query(&nothing).unwrap(), 0.0);
            for error in [metric.compute_of_query(&asked), metric.try_compute(asked.ranking())] {
                let error = error.unwrap_err().to_string();
                assert_eq!(
                    error,
                    format!(
                        "{name} needs judged spans of documents: `evidence` of a spec's collection, or `rankgate eval --documents`"
                    )
                );
            }
        }
    }
}
