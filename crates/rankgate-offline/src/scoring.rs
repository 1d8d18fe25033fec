//! Runs scored while they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::analysis::{cut_lists, rising_scores};
#[cfg(feature = "parquet")]
use crate::collection::Tables;
use crate::collection::{Collection, Judgments, Qrels, Query};
use crate::error::Quoted;
use crate::evaluation::{Estimate, Evaluation, Judging, cut, findable, foreign_run};
use crate::json::record;
use crate::metric::{JudgedRanking, Metric};
use crate::model::{CutLists, RisingScores};
use crate::run::{Hit, Order, Rising, Run, RunReader, Units};
use crate::stats::Confidence;
use crate::{Error, Result, Source};

use crate::SCHEMA;
use crate::by_metric::{ByMetric, PerQuery};
use crate::kernel::{Kernel, QueryScores};

/// How to score runs: metrics and conventions.
///
/// Each ranking is judged while the run is read and is then forgotten, so that a run of millions of lines
/// takes little memory. The values are those of an [`Evaluation`](rankgate_report::Evaluation) of the same run.
///
/// ```
/// use rankgate_offline::Scoring;
/// use rankgate::{Hit, Qrels, Run};
///
/// let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?;
/// let run = Run::from_rankings([("q1", vec![Hit::new("d7", 2.5), Hit::new("d1", 2.0)])])?;
///
/// let scores = Scoring::new(["RR".parse()?]).run(&qrels, "mine", &run)?;
/// assert_eq!(scores.mean.get("RR"), Some(&0.25)); // 1/2 and, for the query it does not answer, 0
/// assert_eq!((scores.queries, scores.unanswered), (2, 1));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scoring {
    kernel: Kernel,
    order: Option<Order>,
    units: Option<Units>,
    judging: Judging,
    answered_only: bool,
    confidence: Confidence,
    /// Each query's group, where queries are grouped.
    groups: Option<BTreeMap<String, String>>,
    per_query: bool,
    #[cfg(feature = "parquet")]
    tables: Tables,
}

record! {
    /// One run's scores; its JSON form is stable: fields are added, and `schema` counts changes that break a
    /// reader.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "schemars", schemars(title = "rankgate eval --format json"))]
    #[non_exhaustive]
    write pub struct Scores {
        /// The version of the JSON form.
        pub schema: u32,
        /// The run, by the name of its file as it was given.
        pub run: String,
        /// Queries that the means are taken over: all judged ones, unless some were to be left out.
        pub queries: usize,
        /// Of these, queries for which the run has no document; they score 0.
        pub unanswered: usize,
        /// Unjudged queries of the run; they are ignored.
        pub unjudged_queries: usize,
        /// Of these, queries whose ranking has a document or a rank twice, which would be an error in a judged one; left out
        /// where there are none.
        pub unjudged_repeats?: usize,
        /// Documents that were taken out because their id is that of their query; left out where nobody asked for
        /// that.
        pub identical_ids?: Option<usize>,
        /// Documents within the deepest cutoff that share their score with a neighbour, so that their order is
        /// a convention; 0 where ranks say the order.
        pub tied_scores: usize,
        /// Whether the file holds scores as floats of 32 bits, so that ties are those of such floats; left out where it
        /// does not.
        pub float32_scores?: bool,
        /// In how many queries scores rise with the ranks of the file, where they do in nearly all: what ranks first counts
        /// as last. Left out elsewhere.
        pub rising_scores?: Option<RisingScores>,
        /// Queries in which several documents have one infinite score, so that they tie; left out where there is none.
        pub infinite_ties?: usize,
        /// Where nearly all lists end at one rank above the cutoff of a metric, that rank and the metrics; left out
        /// elsewhere.
        pub cut_lists?: Option<CutLists>,
        /// Of the queries, those without a relevant document; they score 0 in every relevance metric.
        pub without_relevant: usize,
        /// Judged queries that were left out on request.
        pub left_out: usize,
        /// Documents that the run has for these queries.
        pub results: usize,
        /// How many of them were judged; of a run that belongs to another collection none.
        pub judged_results: usize,
        /// The confidence of the intervals, between 0 and 1.
        pub confidence: f64,
        /// Groups of queries that the intervals are of, where queries are grouped.
        pub groups?: Option<usize>,
        /// By metric, canonical names: the mean over the queries; the sum for counts such as `NumRet`.
        pub mean: ByMetric<f64>,
        /// By metric: the limits of the mean's interval, or null where there is none.
        pub interval: ByMetric<Option<[f64; 2]>>,
        /// By query and metric, on request: the scores of each query.
        pub per_query?: Option<PerQuery>,
    }
}

impl Scoring {
    /// By these metrics; one that comes twice counts once. Rankings are ordered by score, grades from 1 on
    /// are relevant, and means are taken over all judged queries.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        Self {
            kernel: Kernel::new(metrics),
            order: None,
            units: None,
            judging: Judging::default(),
            answered_only: false,
            confidence: Confidence::default(),
            groups: None,
            per_query: false,
            #[cfg(feature = "parquet")]
            tables: Tables::default(),
        }
    }

    /// Which column of a run file gives the order; by default, the ranks of a golden run and the
    /// scores of any other.
    #[must_use]
    pub fn order(mut self, order: impl Into<Option<Order>>) -> Self {
        self.order = order.into();
        self
    }

    /// The documents that the chunks of run files belong to, where rankings are of chunks.
    #[must_use]
    pub fn units(mut self, units: impl Into<Option<Units>>) -> Self {
        self.units = units.into();
        self
    }

    /// Which grades are relevant, and whether queries without a relevant document are left out.
    #[must_use]
    pub fn judging(mut self, judging: Judging) -> Self {
        self.judging = judging;
        self
    }

    /// Whether means are over the answered queries alone, as those of `trec_eval` without `-c`: a run that
    /// fails on the hard queries then looks better than it is.
    #[must_use]
    pub fn answered_only(mut self, answered_only: bool) -> Self {
        self.answered_only = answered_only;
        self
    }

    /// The confidence of the intervals.
    #[must_use]
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
    #[must_use]
    pub fn per_query(mut self, per_query: bool) -> Self {
        self.per_query = per_query;
        self
    }

    /// How a Parquet file is read: its columns, and the memory for sorting.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn tables(mut self, tables: Tables) -> Self {
        self.tables = tables;
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

    /// The same of any source of a run, by its name in results: a pipe takes no more memory than a file.
    ///
    /// # Errors
    ///
    /// Those of [`file`](Self::file).
    pub fn source<'a>(&self, qrels: &Qrels, name: &str, from: impl Into<Source<'a>>) -> Result<Scores> {
        let reader = RunReader::new().order(self.order).units(self.units.clone());
        let reader = reader.exclude_identical_ids(self.judging.exclude_identical_ids);
        let kernel = self.kernel(qrels.max_grade());
        #[cfg(feature = "parquet")]
        let reader = reader.tables(self.tables.clone());
        let reader = reader.handing_over_repeats();
        let (read, single) = reader.map_noted(from, |query, ranking| {
            let (repeated, rising) = (ranking.repeated(), ranking.rising());
            let Some(judgments) = qrels.judgments(query) else {
                return Ok((None, repeated.is_some(), rising));
            };
            match repeated {
                Some(error) => Err(error.clone()),
                None => {
                    let judged = kernel.judge(query, ranking, judgments.unordered())?;
                    Ok((Some(judged), false, rising))
                }
            }
        })?;
        let unjudged_repeats = read.iter().filter(|(_, (_, repeated, _))| *repeated).count();
        let rising: Rising = read.iter().map(|(_, (_, _, rising))| *rising).sum();
        let judged = read.into_iter().map(|(query, (judged, ..))| (query, judged)).collect();
        Ok(Scores {
            float32_scores: single,
            unjudged_repeats,
            rising_scores: rising_scores(rising),
            infinite_ties: rising.infinite_ties(),
            ..self.scores(qrels, name, judged)?
        })
    }

    /// What scores single queries as this does, where the highest grade of all judgments is `max_grade`.
    #[must_use]
    pub fn kernel(&self, max_grade: i32) -> Kernel {
        let kernel = self.kernel.clone().judging(self.judging).max_grade(max_grade);
        kernel.order(self.order.unwrap_or_default())
    }

    /// How tables are read.
    #[cfg(feature = "parquet")]
    pub(super) fn asked_tables(&self) -> &Tables {
        &self.tables
    }

    /// Whether documents with the id of their query are taken out.
    #[cfg(feature = "parquet")]
    pub(super) fn excludes_identical_ids(&self) -> bool {
        self.judging.exclude_identical_ids
    }

    /// The order that the caller set.
    #[cfg(feature = "parquet")]
    pub(super) fn asked_order(&self) -> Option<Order> {
        self.order
    }

    /// Scores an evaluation, which knows more than ids and grades: judged spans, say. Which grades are relevant and which
    /// queries count is the evaluation's to say, apart from queries that are left out here. Metrics of unanswerable queries have
    /// no [scores by query](Scores::per_query), which are of the others.
    ///
    /// # Errors
    ///
    /// A metric that cannot be computed of it; no query that is left to score.
    pub fn evaluation(&self, name: &str, evaluation: &Evaluation) -> Result<Scores> {
        let metrics = self.kernel.metrics();
        let of_unanswerable = |metric: &&Metric| metric.requirements().unanswerable;
        if metrics.iter().any(|metric| of_unanswerable(&metric)) {
            let (theirs, own): (Vec<&Metric>, Vec<&Metric>) = metrics.iter().partition(of_unanswerable);
            let own = Self { kernel: Kernel::new(own.into_iter().cloned()), ..self.clone() };
            let mut scores = own.evaluation(name, evaluation)?;
            for metric in theirs {
                let estimate = evaluation.estimate(metric.clone(), self.confidence)?;
                scores.mean.push(metric.to_string(), estimate.value);
                scores.interval.push(metric.to_string(), estimate.limits());
            }
            return Ok(scores);
        }
        let columns: Vec<Vec<f64>> =
            metrics.iter().map(|metric| evaluation.scores(metric.clone())).collect::<Result<_>>()?;
        let run = evaluation.run(0);
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
            (query.id.clone(), line)
        };
        let lines = evaluation.queries().iter().enumerate().map(line).collect();
        let scores = self.report(name, evaluation.unjudged_queries(), lines)?;
        let rising = evaluation.rising();
        Ok(Scores { rising_scores: rising_scores(rising), infinite_ties: rising.infinite_ties(), ..scores })
    }

    /// Scores a run that is in memory; its order is taken as it is.
    ///
    /// # Errors
    ///
    /// As for [`file`](Self::file), reading apart.
    pub fn run(&self, qrels: &Qrels, name: &str, run: &Run) -> Result<Scores> {
        let by = self.order.unwrap_or(if run.is_golden() { Order::Rank } else { Order::Score });
        let kernel = self.kernel(qrels.max_grade());
        let judge = |(query, hits): (&str, &[Hit])| {
            let Some(judgments) = qrels.judgments(query) else { return Ok((query.to_owned(), None)) };
            let kept: Vec<&Hit> =
                hits.iter().filter(|hit| !self.judging.exclude_identical_ids || hit.id != query).collect();
            let found = (1..).zip(&kept).filter_map(|(rank, hit)| Some((rank, judgments.grade(&hit.id)?)));
            let found: Vec<(usize, i32)> = found.collect();
            let scores = kept.iter().map(|hit| hit.score);
            let judged = kernel.judge_found(query, scores, &found, judgments.grades().collect(), by)?;
            let identical = kept.len() < hits.len();
            Ok((query.to_owned(), Some(QueryScores { identical, ..judged })))
        };
        let scores = self.scores(qrels, name, run.iter().map(judge).collect::<Result<_>>()?)?;
        let (rising_scores, infinite_ties) = (rising_scores(run.rising()), run.rising().infinite_ties());
        Ok(Scores { rising_scores, infinite_ties, ..scores })
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
    /// use rankgate_offline::Scoring;
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
        lines.retain(|line| judged(&line));
        self.report(name, unjudged, lines)
    }

    fn scores(
        &self,
        qrels: &Qrels,
        name: &str,
        judged: Vec<(String, Option<QueryScores>)>,
    ) -> Result<Scores> {
        if qrels.is_empty() {
            return Err(Error::invalid("there are no judgments"));
        }
        let ids = || judged.iter().map(|(query, _)| query.as_str());
        if judged.iter().all(|(_, judged)| judged.is_none()) {
            return Err(foreign_run(name, ids().next(), qrels.queries().next()));
        }
        let unjudged_queries = judged.iter().filter(|(_, judged)| judged.is_none()).count();
        let kernel = self.kernel(qrels.max_grade());
        let unanswered = |query: &str, judgments: &Judgments| {
            kernel.judge_found(query, std::iter::empty(), &[], judgments.grades().collect(), Order::Score)
        };
        let mut answers = judged.into_iter().peekable();
        let mut lines = Vec::with_capacity(qrels.len());
        // Both stand in the order of query ids.
        for (query, judgments) in qrels.iter() {
            while answers.next_if(|(id, _)| id.as_str() < query).is_some() {}
            let answer = answers.next_if(|(id, _)| id == query).and_then(|(_, judged)| judged);
            lines.push((query.to_owned(), answer.map_or_else(|| unanswered(query, judgments), Ok)?));
        }
        self.report(name, unjudged_queries, lines)
    }

    /// What lines of judged queries say together, which stand in the order of query ids.
    fn report(
        &self,
        name: &str,
        unjudged_queries: usize,
        lines: Vec<(String, QueryScores)>,
    ) -> Result<Scores> {
        let (mut unanswered, mut ties, mut without_relevant, mut left_out) = (0, 0, 0, 0);
        let (mut results, mut judged_results, mut identical) = (0, 0, 0);
        let (mut rows, mut findings) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
        let depth = cut(lines.iter().map(|(_, line)| line.retrieved));
        for (query, line) in lines {
            let found = line.findings(self.judging);
            let (answered, relevant) = (line.retrieved > 0, found.relevant(self.judging.relevant_from) > 0);
            let skipped = (self.judging.skip_unjudgeable && !relevant) || (self.answered_only && !answered);
            if skipped {
                left_out += 1;
                continue;
            }
            unanswered += usize::from(!answered);
            without_relevant += usize::from(!relevant);
            ties += line.tied_scores;
            results += line.retrieved;
            judged_results += line.judged_retrieved;
            identical += usize::from(line.identical);
            rows.push((query, line.scores));
            findings.push(found);
        }
        if rows.is_empty() {
            return Err(Error::invalid(format!("{name}: no query is left to score")));
        }
        let groups = self.groups_of(&rows)?;
        let metrics: Vec<String> = self.kernel.metrics().iter().map(ToString::to_string).collect();
        let (mut mean, mut interval) = (Vec::new(), Vec::new());
        for (index, metric) in self.kernel.metrics().iter().enumerate() {
            findable(metric, findings.iter())?;
            let column: Vec<f64> = rows.iter().map(|(_, scores)| scores[index]).collect();
            let estimate = Estimate::new(metric, &column, groups.as_deref(), self.confidence)?;
            mean.push((metrics[index].clone(), estimate.value));
            interval.push((
                metrics[index].clone(),
                estimate.interval.ok().map(|limits| [limits.low, limits.high]),
            ));
        }
        Ok(Scores {
            schema: SCHEMA,
            run: name.to_owned(),
            queries: rows.len(),
            unanswered,
            unjudged_queries,
            identical_ids: self.judging.exclude_identical_ids.then_some(identical),
            tied_scores: ties,
            float32_scores: false,
            rising_scores: None,
            infinite_ties: 0,
            cut_lists: cut_lists(depth, self.kernel.metrics()),
            unjudged_repeats: 0,
            without_relevant,
            left_out,
            results,
            judged_results,
            confidence: self.confidence.level(),
            groups: groups.map(|groups| groups.iter().collect::<BTreeSet<_>>().len()),
            mean: mean.into_iter().collect(),
            interval: interval.into_iter().collect(),
            per_query: self.per_query.then_some(PerQuery { metrics, rows }),
        })
    }

    /// The group of each query that is scored, where queries are grouped.
    fn groups_of(&self, rows: &[(String, Vec<f64>)]) -> Result<Option<Vec<String>>> {
        let Some(groups) = &self.groups else { return Ok(None) };
        let of_query = |(query, _): &(String, Vec<f64>)| {
            let unknown = || {
                Error::invalid(format!("query `{query}` belongs to no group: it is not one of the queries"))
            };
            groups.get(query).cloned().ok_or_else(unknown)
        };
        rows.iter().map(of_query).collect::<Result<_>>().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const METRICS: [&str; 7] = ["nDCG@3", "AP", "RR", "P@2", "ERR@5", "Judged@3", "NumRelRet"];

    fn scoring() -> Scoring {
        Scoring::new(METRICS.map(|name| name.parse().unwrap())).per_query(true)
    }

    fn rankings() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(0..9_u8, 0..8), 4)
    }

    proptest! {
        /// A run scored while it is read has the scores of the same run held and evaluated.
        #[test]
        fn scores_are_those_of_an_evaluation(
            rankings in rankings(),
            grades in prop::collection::vec(prop::collection::vec(-1..4_i32, 1..9), 3),
            relevant_from in 1..3_i32,
            skip_unjudgeable: bool,
            exclude_identical_ids: bool,
        ) {
            let mut qrels = Qrels::new();
            for (query, grades) in grades.iter().enumerate() {
                for (document, grade) in grades.iter().enumerate() {
                    qrels.insert(&format!("d{query}"), &format!("d{document}"), *grade).unwrap();
                }
            }
            let hits = |ids: &Vec<u8>| {
                let mut ids = ids.clone();
                ids.sort_unstable();
                ids.dedup();
                ids.iter().map(|id| Hit::new(format!("d{id}"), f64::from(id / 2))).collect::<Vec<_>>()
            };
            let run = Run::from_rankings((0..).zip(&rankings).map(|(query, ids)| (format!("d{query}"), hits(ids)))).unwrap();
            let judging = Judging { relevant_from, skip_unjudgeable, exclude_identical_ids };
            let collection = Collection::from_qrels(qrels.clone()).unwrap();
            let evaluation = Evaluation::of_run(&collection, run.clone()).unwrap().judged_by(judging);
            let scores = scoring().judging(judging).run(&qrels, "a.run", &run);
            let (Ok(evaluation), Ok(scores)) = (&evaluation, &scores) else {
                // Of a metric that has nothing to find there is no value.
                let found = |one: &Evaluation| METRICS.iter().all(|name| one.value(*name).is_ok());
                prop_assert!(scores.is_err() && !evaluation.as_ref().is_ok_and(found));
                return Ok(());
            };
            // A file has no line for a query without a document; one without any line is another error.
            if rankings[..3].iter().any(|ids| !ids.is_empty()) {
                let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
                run.write_trec(&path, "t").unwrap();
                let of_file = scoring().judging(judging).order(Order::Rank).file(&qrels, &path).unwrap();
                prop_assert_eq!((&of_file.mean, &of_file.per_query), (&scores.mean, &scores.per_query));
                prop_assert_eq!(of_file.identical_ids, scores.identical_ids);
                prop_assert_eq!(of_file.tied_scores, 0, "ranks say the order");
                // The same of rows that come from anywhere, in any order.
                let of_ranks = scoring().judging(judging).order(Order::Rank);
                let kernel = of_ranks.kernel(qrels.max_grade());
                let queries = run.queries().chain(qrels.queries()).collect::<BTreeSet<_>>().into_iter().rev();
                let lines = queries.map(|query| {
                    let ranked = run.ranking(query).unwrap_or_default();
                    let mut ranked: Vec<(&str, f64)> =
                        ranked.iter().zip(1_u8..).map(|(hit, rank)| (hit.id.as_str(), rank.into())).collect();
                    ranked.reverse();
                    let judged: Vec<(&str, i32)> = qrels.judgments(query).map(|judged| judged.iter().collect()).unwrap_or_default();
                    (query.to_owned(), kernel.score(query, &ranked, &judged).unwrap())
                });
                prop_assert_eq!(of_ranks.lines(&of_file.run, lines.collect()).unwrap(), of_file);
            }
            prop_assert_eq!(scores.queries, evaluation.queries().len());
            prop_assert_eq!(scores.unanswered, evaluation.unanswered().len());
            prop_assert_eq!(scores.identical_ids.is_some(), exclude_identical_ids);
            prop_assert_eq!(scores.unjudged_queries, evaluation.unjudged_queries());
            prop_assert_eq!(scores.without_relevant, evaluation.unjudgeable());
            for (index, name) in METRICS.into_iter().enumerate() {
                let estimate = evaluation.estimate(name, Confidence::default()).unwrap();
                prop_assert_eq!(scores.mean.get(name), Some(&estimate.value));
                let limits = estimate.interval.ok().map(|limits| [limits.low, limits.high]);
                prop_assert_eq!(scores.interval.get(name), Some(&limits));
                let column: Vec<f64> = scores.per_query.as_ref().unwrap().iter().map(|(_, row)| row[index]).collect();
                prop_assert_eq!(column, evaluation.scores(name).unwrap());
            }
        }
    }

    #[test]
    fn a_file_is_scored_as_the_run_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        std::fs::write(&path, "q2 Q0 d1 1 1 t\nq1 Q0 d1 1 1 t\nq1 Q0 d2 1 9 t\nq9 Q0 d2 1 9 t\n").unwrap();
        let qrels = Qrels::parse("a.qrels", b"q1 0 d1 2\nq2 0 d1 1\nq3 0 d1 1\n").unwrap();
        let of_file = scoring().file(&qrels, &path).unwrap();
        let of_run = scoring().run(&qrels, &of_file.run, &Run::read(&path, Order::Score).unwrap()).unwrap();
        assert_eq!(of_file, of_run);
        assert_eq!((of_file.queries, of_file.unanswered, of_file.unjudged_queries), (3, 1, 1));
        let answered = scoring().answered_only(true).file(&qrels, &path).unwrap();
        assert_eq!((answered.queries, answered.left_out, answered.mean.get("RR")), (2, 1, Some(&0.75)));
    }

    #[test]
    fn lines_that_are_no_run_are_refused() {
        let line = |scores: &[f64], retrieved| QueryScores {
            scores: scores.to_vec(),
            retrieved,
            best_grade: (!scores.is_empty()).then_some(1),
            ..QueryScores::default()
        };
        let scoring = Scoring::new(["RR".parse().unwrap()]);
        let cases = [
            (vec![("q1", line(&[1.0], 1)), ("q1", line(&[1.0], 1))], "query `q1` again"),
            (vec![("q1", line(&[], 1))], "there are no judgments"),
            (vec![("q1", line(&[1.0, 1.0], 1))], "query `q1` has 2 scores of 1 metrics"),
            (vec![("q1", line(&[0.0], 0))], "a.run is empty: it answers no query"),
            (vec![("7", line(&[], 1)), ("q1", line(&[0.0], 0))], "answers none of the judged queries"),
        ];
        for (lines, message) in cases {
            let lines = lines.into_iter().map(|(query, line)| (query.to_owned(), line)).collect();
            let error = scoring.lines("a.run", lines).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_metric_that_needs_the_documents_is_an_error_and_not_a_score() {
        let qrels = Qrels::parse("a.qrels", b"q1 0 d1 2\n").unwrap();
        let run = Run::from_rankings([("q1", vec![Hit::new("d1", 1.0)])]).unwrap();
        let own = Metric::custom_of_query("Lead", 0.0..=1.0, |_| 1.0).unwrap();
        assert_eq!(
            Scoring::new([own]).run(&qrels, "a.run", &run).unwrap_err().to_string(),
            "query `q1`: Lead looks at the query and its documents, and only grades are known here"
        );
    }

    #[test]
    fn a_run_of_another_collection_is_an_error() {
        let qrels = Qrels::parse("a.qrels", b"q1 0 d1 2\n").unwrap();
        let run = Run::from_rankings([("17", vec![Hit::new("d1", 1.0)])]).unwrap();
        assert_eq!(
            scoring().run(&qrels, "b.run", &run).unwrap_err().to_string(),
            "b.run answers none of the judged queries: it has ids such as `17`, the judgments have ids such \
             as `q1`"
        );
        let empty = scoring().run(&qrels, "b.run", &Run::default()).unwrap_err().to_string();
        assert_eq!(empty, "b.run is empty: it answers no query");
    }
}
