//! What a metric needs and is not known here: errors in place of a number.

use super::judged_ranking::JudgedRanking;
use super::metric::Metric;
use super::ranked_query::RankedQuery;
use crate::error::Quoted;
use crate::{Error, Result};

const PASSAGES: &str =
    "needs judged passages of documents: `passages` of a spec's collection, or `rankgate eval --documents`";
const SUBTOPICS: &str = "needs judgments by subtopic: the second column of TREC's judgments, `subtopic` in JSON lines, or a fourth \
                         column of BEIR's tsv";
const UNANSWERABLE: &str = "needs to know which queries are unanswerable: `answerable: false` in the queries of a spec's \
                            collection, or of `rankgate eval --queries`";

impl Metric {
    /// Refuses a query of which something is missing that the metric needs.
    pub(super) fn check_query_has_all(&self, asked: &RankedQuery<'_>) -> Result<()> {
        let needs = self.requirements();
        let lacks = |why: &str| Err(Error::invalid(format!("{self} {why}")));
        if !needs.metadata.is_empty() && !asked.has_document_metadata() {
            let keys: Vec<String> = needs.metadata.iter().map(|key| Quoted(key).to_string()).collect();
            let keys = keys.join(", ");
            return lacks(&format!("needs {keys} of the documents' metadata, which is not known here"));
        }
        match needs.attribute {
            _ if needs.passages && asked.coverage().is_none() => lacks(PASSAGES),
            _ if needs.subtopics && asked.ranking().subtopics().is_none() => lacks(SUBTOPICS),
            _ if needs.unanswerable && !asked.is_unanswerable() => {
                lacks("is of unanswerable queries, and this one is not marked as such")
            }
            Some(name) if asked.attribute().is_none_or(|attribute| attribute.name() != name) => {
                lacks(&no_attribute(name))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a metric that needs more than the grades of a ranking, and subtopics that this one lacks.
    pub(super) fn check_ranking_has_all(&self, ranking: &JudgedRanking) -> Result<()> {
        let needs = self.requirements();
        let lacks = |why: &str| Err(Error::invalid(format!("{self} {why}")));
        match needs.attribute {
            _ if self.is_column() => lacks("is a column of scores, and only a ranking is known here"),
            _ if needs.neighbours => {
                lacks("needs the true nearest neighbours: a spec names them under `ground-truth`")
            }
            _ if needs.passages => lacks(PASSAGES),
            Some(name) => lacks(&no_attribute(name)),
            None if needs.unanswerable => lacks(UNANSWERABLE),
            None if needs.subtopics && ranking.subtopics().is_none() => lacks(SUBTOPICS),
            None if needs.documents => {
                lacks("looks at the query and its documents, and only grades are known here")
            }
            None => Ok(()),
        }
    }
}

fn no_attribute(name: &str) -> String {
    format!("needs the attribute {}: a spec defines it under `attributes`", Quoted(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn a_metric_that_needs_the_documents_is_never_a_number_without_them() {
        let own = Metric::custom_of_documents("Lead", 0.0..=1.0, [""; 0], |asked| {
            f64::from(u8::from(asked.documents().first().is_some_and(|first| first.id == asked.text())))
        });
        let own = own.unwrap();
        let ranking = JudgedRanking::new(vec![Some(1)], vec![1]);
        assert!(own.needs_documents() && own.compute(&ranking).is_nan());
        assert_eq!(
            own.try_compute(&ranking).unwrap_err().to_string(),
            "Lead looks at the query and its documents, and only grades are known here"
        );
        let asked = RankedQuery::new("q1", "d1", ["d1", "d2"], [("d2", 1)]);
        let of_grades = Metric::custom("Hits", 0.0..=9.0, |ranking| ranking.hits(9, 1) as f64).unwrap();
        for (metric, value) in [(own, 1.0), (metric("RR"), 0.5), (of_grades, 1.0)] {
            assert_eq!(metric.compute_of_query(&asked).unwrap(), value, "{metric}");
        }
        let wild = Metric::custom_of_documents("Wild", 0.0..=1.0, [""; 0], |_| 2.0).unwrap();
        let error = wild.compute_of_query(&asked).unwrap_err().to_string();
        assert_eq!(error, "Wild is 2, which is not in its range from 0 to 1");
    }
}
