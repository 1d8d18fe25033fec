//! What the scores of single queries say together: means, intervals and counts.

use std::collections::BTreeSet;

use super::Scoring;
use crate::offline::SCHEMA;
use crate::offline::analysis::cut_lists;
use crate::offline::by_metric::PerQuery;
use crate::offline::collection::{Judgments, Qrels};
use crate::offline::evaluation::{Estimate, cut, findable, foreign_run};
use crate::offline::kernel::QueryScores;
use crate::offline::run::Order;
use crate::offline::scores::Scores;
use crate::offline::{Error, Result};

impl Scoring {
    pub(super) fn scores(
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
            let answered = answer.is_some();
            let line = answer.map_or_else(|| unanswered(query, judgments), Ok)?;
            lines.push((query.to_owned(), answered, line));
        }
        self.report(name, unjudged_queries, lines)
    }

    /// What lines of judged queries say together, which stand in the order of query ids; each with whether the run has the
    /// query, if with no documents.
    pub(super) fn report(
        &self,
        name: &str,
        unjudged_queries: usize,
        lines: Vec<(String, bool, QueryScores)>,
    ) -> Result<Scores> {
        let (mut unanswered, mut ties, mut without_relevant, mut left_out) = (0, 0, 0, 0);
        let (mut results, mut judged_results, mut identical) = (0, 0, 0);
        let (mut rows, mut findings) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
        let depth = cut(lines.iter().map(|(_, _, line)| line.retrieved));
        for (query, answered, line) in lines {
            let found = line.findings(self.judging);
            let relevant = found.relevant(self.judging.relevant_from) > 0;
            let skipped = (self.judging.skip_queries_without_relevant && !relevant)
                || (self.answered_only && !answered);
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
            cut_lists: cut_lists(depth, self.kernel.metrics()),
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
