//! Columns of scores: numbers of queries from elsewhere, and metrics of rankings if a model judged them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::estimate::Estimate;
use super::{Evaluation, Judging, Pass, extremes, judge};
use crate::collection::{Collection, Judgments, Query};
use crate::error::Quoted;
use crate::metric::{Aggregation, JudgedRanking, Metric};
use crate::run::Run;
use crate::scores::{LEAST_PEOPLE, Score, ScoreColumn};
use crate::stats::{Confidence, CorrectedMean, IntervalKind};
use crate::{Error, Result};

/// Columns by name, or why one cannot be read.
pub type Columns = BTreeMap<String, Result<ScoreColumn>>;

/// How far people stand behind the numbers of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum People {
    /// No model gave any.
    NotNeeded,
    /// A model gave them, and people graded so many queries: enough for a correction.
    Sample(usize),
    /// A model gave them, and people graded so many queries, which are too few.
    TooFew(usize),
}

impl People {
    pub(crate) fn new(of_model: bool, graded: usize) -> Self {
        match of_model {
            false => Self::NotNeeded,
            true if graded >= LEAST_PEOPLE => Self::Sample(graded),
            true => Self::TooFew(graded),
        }
    }
}

#[doc(hidden)]
impl Evaluation {
    /// Scores of queries whose rankings nobody has, over a collection without judgments.
    ///
    /// # Errors
    /// A collection in which all queries are unanswerable.
    pub fn of_scores(collection: &Collection, columns: Columns) -> Result<Self> {
        let nothing = collection.queries().iter().map(|query| (query.id.clone(), Vec::new()));
        let runs = vec![Run::from_rankings(nothing)?];
        let mut scored = Self::of_passes(collection, Judging::default(), runs)?.with_columns(columns);
        scored.inputs.columns_alone = true;
        Ok(scored)
    }

    /// The same with columns of scores.
    pub fn with_columns(mut self, columns: Columns) -> Self {
        self.inputs.columns = Arc::new(columns);
        self
    }

    /// The columns of scores.
    pub fn columns(&self) -> &Columns {
        &self.inputs.columns
    }

    /// The ids of its queries that have no score in a column, and how many should have one; none of a metric of rankings.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn lacking(&self, metric: &Metric) -> Result<(Vec<&str>, usize)> {
        let Some(name) = metric.column_name() else { return Ok((Vec::new(), self.queries.len())) };
        let column = self.column(name)?;
        // Of a column of unanswerable queries no other has a score.
        let of = if self.is_of_others(column) { self.unanswerable.beside() } else { &self.queries };
        let lacking = of.iter().map(|query| query.id.as_str()).filter(|id| column.get(id).is_none());
        Ok((lacking.collect(), of.len()))
    }

    /// How far people stand behind the numbers of its queries.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn people(&self, metric: &Metric) -> Result<People> {
        let scores = self.column_scores(metric)?;
        let graded = scores.iter().filter(|score| score.people.is_some()).count();
        Ok(People::new(scores.iter().any(|score| score.is_of_model), graded))
    }
}

impl Evaluation {
    fn column(&self, name: &str) -> Result<&ScoreColumn> {
        let missing = || {
            Error::invalid(format!(
                "there is no column {} here: answers have no such number, and no file of `scores` is of this configuration",
                Quoted(name)
            ))
        };
        self.inputs.columns.get(name).ok_or_else(missing)?.as_ref().map_err(Clone::clone)
    }

    fn is_of_others(&self, column: &ScoreColumn) -> bool {
        let has = |query: &Query| column.get(&query.id).is_some();
        !self.queries.iter().any(has) && self.unanswerable.beside().iter().any(has)
    }

    /// The same over the queries that have a score in the column: of judged queries, or of unanswerable ones where no judged
    /// one has any.
    pub(super) fn for_column(&self, name: &str) -> Result<Self> {
        let column = self.column(name)?;
        let of = if self.is_of_others(column) { self.of_unanswerable(name)? } else { self.clone() };
        let none = || Error::invalid(format!("no query has a score in the column {}", Quoted(name)));
        of.keeping(|query| column.get(&query.id).is_some()).ok_or_else(none)
    }

    /// The score of a query in the column.
    pub(super) fn column_score(&self, metric: &Metric, query: usize) -> Result<f64> {
        let name = metric.column_name().unwrap_or_default();
        let id = &self.queries[query].id;
        let missing = || Error::invalid(format!("the column {} has no score of it", Quoted(name)));
        metric.of_column(self.column(name)?.get(id).ok_or_else(missing)?.value)
    }

    fn column_scores(&self, metric: &Metric) -> Result<Vec<Cow<'_, Score>>> {
        let Some(name) = metric.column_name() else {
            return Ok(self.scores_by_origin(metric)?.into_iter().map(Cow::Owned).collect());
        };
        let column = self.column(name)?;
        Ok(self.queries.iter().filter_map(|query| column.get(&query.id)).map(Cow::Borrowed).collect())
    }

    /// A metric of rankings as a column of scores; nothing if no model judged what it looks at.
    fn scores_by_origin(&self, metric: &Metric) -> Result<Vec<Score>> {
        let Some(origins) = self.collection.origins().filter(|_| metric.needs_relevance()) else {
            return Ok(Vec::new());
        };
        let by_people = match (self.by_people()?, metric.aggregation()) {
            (Some(sampled), Aggregation::Mean) => {
                let ids = sampled.queries.iter().map(|query| query.id.clone());
                ids.zip(sampled.scores(metric)?).collect()
            }
            _ => BTreeMap::new(),
        };
        let is_of_model = |query: &str| {
            let judged = self.collection.judgments(query).into_iter().flat_map(Judgments::unordered);
            judged.into_iter().any(|(document, _)| origins.is_of_model(query, document))
        };
        let score = |(query, value): (&Query, f64)| {
            let mut score = Score::new(value);
            (score.people, score.is_of_model) = (by_people.get(&query.id).copied(), is_of_model(&query.id));
            score
        };
        Ok(self.queries.iter().zip(self.scores(metric)?).map(score).collect())
    }

    /// The sampled queries, judged by people alone; `None` without a sample, or if the rankings are not kept.
    fn by_people(&self) -> Result<Option<Self>> {
        let Some(collection) = self.collection.by_people() else { return Ok(None) };
        let Some(mut sampled) = self.keeping(|query| collection.judgments(&query.id).is_some()) else {
            return Ok(None);
        };
        let again = |pass: &Pass| {
            let run = pass.held.as_run()?;
            let judge = |(query, before): (&Query, &Arc<JudgedRanking>)| {
                let judging = Judging { relevant_from: before.relevant_from(), ..Judging::default() };
                judge(&collection, run, &query.id, judging)
            };
            let judged = sampled.queries.iter().zip(&pass.judged).map(judge).collect::<Result<_>>();
            Some(judged.map(|judged| Pass { judged, ..pass.clone() }))
        };
        let Some(passes) = sampled.passes.iter().map(again).collect::<Option<Result<_>>>() else {
            return Ok(None);
        };
        (sampled.passes, sampled.collection) = (passes?, collection);
        Ok(Some(sampled))
    }

    /// The score of each query, where it has one: in a column that is not there none has.
    pub(crate) fn scores_where_known(&self, metric: &Metric) -> Result<Vec<Option<f64>>> {
        let Some(name) = metric.column_name() else {
            return Ok(self.scores(metric)?.into_iter().map(Some).collect());
        };
        let column = self.column(name).ok();
        let score = |query: &Query| metric.of_column(column?.get(&query.id)?.value).ok();
        Ok(self.queries.iter().map(score).collect())
    }

    /// What people say of each query; nothing where they graded too few, or no model needs them.
    pub(crate) fn people_scores(&self, metric: &Metric) -> Result<Option<Vec<Option<f64>>>> {
        let People::Sample(_) = self.people(metric)? else { return Ok(None) };
        let of_people = |score: Cow<'_, Score>| score.people.map(|value| metric.of_column(value)).transpose();
        self.column_scores(metric)?.into_iter().map(of_people).collect::<Result<_>>().map(Some)
    }

    /// The mean of a column that a model gave, corrected by people; nothing where they do not correct it.
    pub(crate) fn corrected(&self, metric: &Metric) -> Result<Option<CorrectedMean>> {
        let Some(people) = self.people_scores(metric)? else { return Ok(None) };
        let model = self.scores(metric)?;
        let own: Vec<String> = self.queries.iter().map(|query| query.id.clone()).collect();
        let groups = self.groups().unwrap_or(&own);
        CorrectedMean::within(&model, &people, groups, &metric.range()).map(Some)
    }

    /// The same with its interval.
    pub(super) fn corrected_estimate(
        &self,
        metric: &Metric,
        confidence: Confidence,
    ) -> Result<Option<Estimate>> {
        let Some(corrected) = self.corrected(metric)? else { return Ok(None) };
        Ok(Some(Estimate {
            value: corrected.value,
            interval: corrected.interval(confidence).map(|interval| interval.within(&metric.range())),
            kind: IntervalKind::T,
            queries: self.queries.len(),
            extremes: extremes(&self.scores(metric)?),
            groups: self.groups().map(|_| corrected.units),
        }))
    }
}
