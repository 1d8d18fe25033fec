//! Runs scored while they are read.

mod summary;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::offline::analysis::rising_scores;
use crate::offline::collection::{Collection, Qrels, Query};
use crate::offline::error::Quoted;
use crate::offline::evaluation::{Evaluation, Judging, foreign_run};
use crate::offline::metric::{JudgedRanking, Metric};
use crate::offline::run::{Order, Parents, Rising, RunReader};
use crate::offline::stats::Confidence;
use crate::offline::{Error, Result, Source};

use crate::offline::kernel::{Kernel, QueryScores};
use crate::offline::scores::Scores;

/// How to score runs: metrics and conventions.
///
/// Each ranking is judged while the run is read and is then forgotten, so that a run of millions of lines
/// takes little memory. The values are those of an [`Evaluation`](rankgate_report::Evaluation) of the same run.
///
/// ```
/// use rankgate_cli::offline::Scoring;
/// use rankgate::{Qrels, Source};
///
/// let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?;
/// let run = Source::stream("mine.run", &b"q1 Q0 d7 1 2.5 t\nq1 Q0 d1 2 2.0 t\n"[..]);
///
/// let scores = Scoring::new(["RR".parse()?]).source(&qrels, "mine.run", run)?;
/// assert_eq!(scores.mean.get("RR"), Some(&0.25)); // 1/2 and, for the query it does not answer, 0
/// assert_eq!((scores.queries, scores.unanswered), (2, 1));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scoring {
    kernel: Kernel,
    order: Option<Order>,
    parents: Option<Parents>,
    judging: Judging,
    answered_only: bool,
    confidence: Confidence,
    /// Each query's group, where queries are grouped.
    groups: Option<BTreeMap<String, String>>,
    per_query: bool,
}

impl Scoring {
    /// By these metrics; one that comes twice counts once. Rankings are ordered by score, grades from 1 on
    /// are relevant, and means are taken over all judged queries.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        Self {
            kernel: Kernel::new(metrics),
            order: None,
            parents: None,
            judging: Judging::default(),
            answered_only: false,
            confidence: Confidence::default(),
            groups: None,
            per_query: false,
        }
    }

    /// Which column of a run file gives the order; by default, the ranks of a golden run and the
    /// scores of any other.
    pub fn order(mut self, order: impl Into<Option<Order>>) -> Self {
        self.order = order.into();
        self
    }

    /// The documents that the chunks of run files belong to, where rankings are of chunks.
    pub fn parents(mut self, parents: impl Into<Option<Parents>>) -> Self {
        self.parents = parents.into();
        self
    }

    /// Which grades are relevant, and whether queries without a relevant document are left out.
    pub fn judging(mut self, judging: Judging) -> Self {
        self.judging = judging;
        self
    }

    /// Whether means are over the answered queries alone, as those of `trec_eval` without `-c`: a run that
    /// fails on the hard queries then looks better than it is.
    pub fn answered_only(mut self, answered_only: bool) -> Self {
        self.answered_only = answered_only;
        self
    }

    /// The confidence of the intervals.
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// Takes the collection's queries that share a value of a metadata key for one group: intervals are then of
    /// groups.
    ///
    /// # Errors
    ///
    /// A judged query without the key, or with several values of it.
    pub fn clustered_by(mut self, collection: &Collection, key: &str) -> Result<Self> {
        let of_query = |query: &Query| Ok((query.id.clone(), query.group(key)?));
        self.groups = Some(collection.queries().iter().map(of_query).collect::<Result<_>>()?);
        Ok(self)
    }

    /// Whether [`Scores::per_query`] is filled.
    pub fn per_query(mut self, per_query: bool) -> Self {
        self.per_query = per_query;
        self
    }

    /// Scores a run file without holding it.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run (the message names file, line and text); a run that answers
    /// none of the judged queries; no judgments, or for a metric of relevance none of a relevant document; a
    /// metric of one's own that returns an invalid score or [needs the documents](Metric::needs_documents): an
    /// [`Evaluation`](rankgate_report::Evaluation) has them.
    pub fn file(&self, qrels: &Qrels, path: impl AsRef<Path>) -> Result<Scores> {
        let path = path.as_ref();
        self.source(qrels, &path.display().to_string(), path)
    }

    /// The same of any source of a run, by its name in results.
    ///
    /// # Errors
    ///
    /// Those of [`file`](Self::file).
    pub fn source<'a>(&self, qrels: &Qrels, name: &str, from: impl Into<Source<'a>>) -> Result<Scores> {
        let reader = RunReader::new().order(self.order).parents(self.parents.clone());
        let reader = reader.exclude_identical_ids(self.judging.exclude_identical_ids);
        let kernel = self.kernel(qrels.max_grade());
        let (read, single) = reader.map_noted(&from.into(), |query, ranking| {
            let judged =
                qrels.judgments(query).map(|judgments| kernel.judge(query, ranking, judgments.unordered()));
            Ok((judged.transpose()?, ranking.rising()))
        })?;
        let rising: Rising = read.iter().map(|(_, (_, rising))| *rising).sum();
        let judged = read.into_iter().map(|(query, (judged, _))| (query, judged)).collect();
        Ok(Scores {
            float32_scores: single,
            rising_scores: rising_scores(rising),
            ..self.scores(qrels, name, judged)?
        })
    }

    /// What scores single queries as this does, where the highest grade of all judgments is `max_grade`.
    pub fn kernel(&self, max_grade: i32) -> Kernel {
        let kernel = self.kernel.clone().judging(self.judging).max_grade(max_grade);
        kernel.order(self.order.unwrap_or_default())
    }

    /// Scores an evaluation, which knows more than ids and grades: judged spans, say. Which grades are relevant and which
    /// queries count is the evaluation's to say, apart from queries that are left out here. Metrics of unanswerable queries have
    /// no scores of single queries.
    ///
    /// # Errors
    ///
    /// A metric that cannot be computed of it; no query that is left to score.
    pub fn evaluation(&self, name: &str, evaluation: &Evaluation) -> Result<Scores> {
        let of_unanswerable = |metric: &&Metric| metric.requirements().unanswerable;
        let (theirs, metrics): (Vec<&Metric>, Vec<&Metric>) =
            self.kernel.metrics().iter().partition(of_unanswerable);
        let own = Self { kernel: Kernel::new(metrics.iter().map(|&metric| metric.clone())), ..self.clone() };
        let columns: Vec<Vec<f64>> =
            metrics.iter().map(|&metric| evaluation.scores(metric)).collect::<Result<_>>()?;
        let run = evaluation.run(0);
        let absent: HashSet<&str> = evaluation.absent().into_iter().collect();
        let line = |(index, query): (usize, &Query)| {
            let hits = run.and_then(|run| run.ranking(&query.id)).unwrap_or_default();
            let judged = evaluation.judged(index);
            let grades = judged.map_or(&[][..], JudgedRanking::grades);
            let line = QueryScores {
                scores: columns.iter().map(|column| column[index]).collect(),
                retrieved: hits.len(),
                judged: grades.len(),
                judged_retrieved: judged.map_or(0, |judged| judged.judged_at(hits.len())),
                tied_scores: self
                    .kernel
                    .ties(hits.iter().map(|hit| hit.score), self.order.unwrap_or_default()),
                best_grade: grades.iter().copied().max(),
                identical: false,
            };
            (query.id.clone(), !absent.contains(query.id.as_str()), line)
        };
        let lines = evaluation.queries().iter().enumerate().map(line).collect();
        let mut scores = own.report(name, evaluation.unjudged_queries(), lines)?;
        for metric in theirs {
            let estimate = evaluation.estimate(metric.clone(), self.confidence)?;
            scores.mean.push(metric.to_string(), estimate.value);
            scores.interval.push(metric.to_string(), estimate.limits());
        }
        Ok(Scores { rising_scores: rising_scores(evaluation.rising()), ..scores })
    }

    /// The scores of queries that were scored one by one, by this one's [`kernel`](Self::kernel), wherever that was:
    /// the judged ones, and those that were only retrieved for, which are counted. The order of the lines does not
    /// matter.
    ///
    /// # Errors
    ///
    /// A query that comes twice, or with another number of scores than there are metrics; no judgments, a run that
    /// answers none of the judged queries, or for a metric of relevance no relevant document.
    ///
    /// ```
    /// use rankgate_cli::offline::Scoring;
    ///
    /// let scoring = Scoring::new(["RR".parse()?]);
    /// let kernel = scoring.kernel(1);
    /// let lines = [("q1", vec![("d7", 2.5), ("d1", 2.0)]), ("q2", vec![])].map(|(query, retrieved)| {
    ///     Ok((query.to_owned(), kernel.score(query, &retrieved, &[("d1", 1)])?))
    /// });
    /// let scores = scoring.lines("mine", lines.into_iter().collect::<rankgate::Result<_>>()?)?;
    /// assert_eq!((scores.mean.get("RR"), scores.unanswered), (Some(&0.25), 1));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn lines(&self, name: &str, mut lines: Vec<(String, QueryScores)>) -> Result<Scores> {
        lines.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if let Some(same) = lines.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::invalid(format!("query {} again", Quoted(&same[0].0))));
        }
        let judged = |(_, line): &&(String, QueryScores)| line.best_grade.is_some();
        let Some((some_judged, _)) = lines.iter().find(judged) else {
            return Err(Error::invalid("there are no judgments"));
        };
        let answered = |(_, line): &&(String, QueryScores)| line.retrieved > 0 || line.identical;
        if !lines.iter().filter(judged).any(|line| answered(&line)) {
            let first = lines.iter().find(answered).map(|(query, _)| query.as_str());
            return Err(foreign_run(name, first, Some(some_judged)));
        }
        let metrics = self.kernel.metrics().len();
        let short =
            |(_, line): &&(String, QueryScores)| line.best_grade.is_some() && line.scores.len() != metrics;
        if let Some((query, line)) = lines.iter().find(short) {
            let (query, scores) = (Quoted(query), line.scores.len());
            return Err(Error::invalid(format!("query {query} has {scores} scores of {metrics} metrics")));
        }
        let unjudged = lines.iter().filter(|line| answered(line) && !judged(line)).count();
        let judged = lines.into_iter().filter(|line| judged(&line));
        let lines = judged.map(|(query, line)| (query, line.retrieved > 0 || line.identical, line)).collect();
        self.report(name, unjudged, lines)
    }
}
