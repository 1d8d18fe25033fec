//! Runs beside stored reports, scored under other judgments than those of their day, without a spec.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankgate_core::Source;
use rankgate_report::internal::golden::GoldenRun;
use rankgate_report::{Evaluation, Judging};

use crate::collection::{Collection, Qrels};
use crate::measured::Scores;
use crate::metric::Metric;
use crate::{Error, Result};

/// A run as a test run keeps it beside its report (`<configuration>.run`).
#[derive(Debug)]
pub struct StoredRanking {
    golden: GoldenRun,
}

impl StoredRanking {
    /// Reads its file.
    ///
    /// # Errors
    /// No such run, or one that was changed since it was written.
    pub fn parse(name: &str, content: &[u8]) -> Result<Self> {
        Ok(Self { golden: GoldenRun::read_from(&Source::bytes(name, content))? })
    }

    /// Its fingerprint, by which reports know it.
    #[must_use]
    pub fn ranking(&self) -> String {
        self.golden.fingerprint()
    }
}

/// Judgments under which runs are scored again.
#[derive(Debug)]
pub struct Rescorer {
    collection: Collection,
}

impl Rescorer {
    /// Of judgments.
    ///
    /// # Errors
    /// No judgment.
    pub fn new(judgments: Qrels) -> Result<Self> {
        Ok(Self { collection: Collection::from_qrels(judgments)? })
    }

    /// Their fingerprint, as in the history of a report.
    #[must_use]
    pub fn judgments(&self) -> String {
        self.collection.judgments_sha256()
    }

    /// The scores of that day's queries that are judged, on these metrics, as a report with these
    /// definitions would have them; `group_of` says what a query belongs to, where queries are grouped.
    ///
    /// # Errors
    /// Definitions that are not of this version; a run that answers nothing that is judged; a metric that cannot be computed
    /// of a run and judgments; a query whose group is not known.
    pub fn scores(
        &self,
        run: &StoredRanking,
        (metrics, defined): (&[String], &str),
        group_of: Option<&BTreeMap<&str, &str>>,
    ) -> Result<Scores> {
        let other = || Error::invalid(format!("metrics were defined otherwise that day: {defined}"));
        let judging = Judging::from_definitions(defined).ok_or_else(other)?;
        let golden = run.golden.clone();
        let (depth, asked) = (golden.inputs.depth, golden.all_queries());
        let runs = golden.runs.into_iter().map(Arc::unwrap_or_clone).collect();
        let evaluation = Evaluation::of_runs(&self.collection, runs)?.judged_by(judging)?.with_depth(depth);
        let nothing = || Error::invalid("none of the queries that it answers is judged");
        let evaluation = evaluation.keeping(|query| asked.contains(&query.id)).ok_or_else(nothing)?;
        let score = |name: &String| Ok((name.clone(), evaluation.scores(name.parse::<Metric>()?)?));
        let queries: Vec<String> = evaluation.queries().iter().map(|query| query.id.clone()).collect();
        let group = |query: &String| {
            let known = group_of.and_then(|groups| groups.get(query.as_str()));
            let unknown = || Error::invalid(format!("it is not known what the query `{query}` belongs to"));
            known.map(|group| (*group).to_owned()).ok_or_else(unknown)
        };
        let groups = group_of.map(|_| queries.iter().map(group).collect::<Result<_>>()).transpose()?;
        Ok(Scores { groups, by_metric: metrics.iter().map(score).collect::<Result<_>>()?, queries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate_core::run::{Hit, Run};
    use rankgate_report::internal::golden::Inputs;

    fn kept_ranking() -> StoredRanking {
        let hits =
            |ids: &[&str]| ids.iter().zip(0..).map(|(id, rank)| Hit::new(*id, -f64::from(rank))).collect();
        let rankings: [(&str, Vec<Hit>); 2] = [("q1", hits(&["a", "b"])), ("q2", hits(&["c", "d"]))];
        let run = Run::from_rankings(rankings).unwrap();
        let golden = GoldenRun {
            configuration: "words".into(),
            runs: vec![Arc::new(run)],
            rebuilt: false,
            inputs: Inputs { depth: 10, ..Inputs::default() },
            unanswered: vec!["q3".into()],
            absent: Vec::new(),
            loss_accepted: false,
        };
        StoredRanking::parse("words.run", &golden.to_bytes().unwrap()).unwrap()
    }

    #[test]
    fn a_kept_run_is_scored_under_other_judgments() {
        let qrels = Qrels::parse("qrels", b"q1 0 b 1\nq2 0 c 2\nq3 0 x 1\nq4 0 y 1\n").unwrap();
        let anew = Rescorer::new(qrels.clone()).unwrap();
        let defined = Judging::default().definitions();
        let metrics = ["RR".to_owned(), "nDCG@10".to_owned()];
        let run = kept_ranking();
        let scores = anew.scores(&run, (&metrics, &defined), None).unwrap();
        // q4 was not asked that day; q3 was, and found nothing.
        assert_eq!(scores.queries, ["q1", "q2", "q3"]);
        assert_eq!(scores.by_metric[0], ("RR".to_owned(), vec![0.5, 1.0, 0.0]));
        assert_eq!((anew.judgments(), run.ranking().len()), (qrels.sha256(), 64));
        // Grade 1 is not relevant where 2 is the lowest that is.
        let strict = Judging { relevant_from: 2, ..Judging::default() }.definitions();
        let scores = anew.scores(&run, (&metrics[..1], &strict), None).unwrap();
        assert_eq!(scores.by_metric[0].1, [0.0, 1.0, 0.0]);
        let groups = BTreeMap::from([("q1", "x"), ("q2", "x"), ("q3", "y")]);
        let grouped = anew.scores(&run, (&metrics, &defined), Some(&groups)).unwrap();
        assert_eq!(grouped.groups, Some(["x", "x", "y"].map(str::to_owned).to_vec()));
        for (metrics, defined, groups, said) in [
            ("RR", "0: by feeling", &groups, "defined otherwise"),
            ("nDCG@20", &*defined, &groups, "nDCG@20"),
            ("Oddness", &defined, &groups, "Oddness"),
            ("RR", &defined, &BTreeMap::new(), "belongs to"),
        ] {
            let error = anew.scores(&run, (&[metrics.to_owned()], defined), Some(groups)).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
        assert!(StoredRanking::parse("x", b"q1 Q0 a 1 1.0 t\n").is_err());
    }
}
