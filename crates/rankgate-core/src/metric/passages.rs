//! How much of the judged passages retrieved chunks cover: `PassageRecall`, `PassagePrecision`.
//!
//! Passages are judged spans of documents, whatever chunks these are cut into. With the characters (Unicode scalar values)
//! of all relevant passages P, those of the first k retrieved chunks R, and those of both C, each counted once however
//! often it is retrieved:
//!
//! - `PassageRecall@k` = C / P.
//! - `PassagePrecision@k` = C / R; 0 if nothing is retrieved.
//!
//! Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024, whose precision counts characters
//! in the overlap of two chunks twice and whose k is the number of chunks that overlap a passage.

use super::definition::{CutoffKind, Definition};
use super::ranked_query::RankedQuery;

pub(super) static RECALL: Definition = Definition::of_documents(
    "PassageRecall",
    "characters of the judged passages that are retrieved / all of them",
    |asked, _| Ok(share(asked, |found| (found.covered, found.passages))),
)
.of_passages()
.written(&["PassageRecall@k"])
.at(CutoffKind::Cutoff);

pub(super) static PRECISION: Definition = Definition::of_documents(
    "PassagePrecision",
    "characters of the judged passages / characters that are retrieved",
    |asked, _| Ok(share(asked, |found| (found.covered, found.retrieved))),
)
.of_passages()
.written(&["PassagePrecision@k"])
.at(CutoffKind::Cutoff);

/// Characters of judged passages and of retrieved chunks, each counted once.
///
/// ```
/// use rankgate::metric::{Coverage, Metric, RankedQuery};
///
/// // 80 of 100 characters of the judged passages are among 400 that were retrieved.
/// let found = Coverage { passages: 100, retrieved: 400, covered: 80 };
/// let asked = RankedQuery::new("q1", "", ["refunds#char=0,400"], []).with_coverage(found);
/// let score = |name: &str| name.parse::<Metric>()?.compute_of_query(&asked);
/// assert_eq!((score("PassageRecall@10")?, score("PassagePrecision@10")?), (0.8, 0.2));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Characters of the relevant passages.
    pub passages: usize,
    /// Characters of the retrieved chunks.
    pub retrieved: usize,
    /// Characters of both.
    pub covered: usize,
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
    fn nothing_is_0_and_no_judged_passage_at_all_is_an_error() {
        let asked = RankedQuery::new("q1", "", [], []);
        let nothing = asked.clone().with_coverage(Coverage { passages: 10, retrieved: 0, covered: 0 });
        for name in ["PassageRecall@3", "PassagePrecision@3"] {
            let metric: Metric = name.parse().unwrap();
            assert_eq!(metric.compute_of_query(&nothing).unwrap(), 0.0);
            let error = metric.compute_of_query(&asked).unwrap_err().to_string();
            assert!(error.contains("passages"), "{error}");
        }
    }
}
