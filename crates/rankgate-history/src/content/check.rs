//! Whether the numbers of a report agree: a mean with the scores of its queries, a score with the range of its metric, an
//! interval with its value, a count with its list.
//!
//! Histories are made of scores, so that a report that contradicts itself would be compared with honest ones. Of a metric of
//! a team's own the range is not known.

use std::collections::BTreeSet;
use std::fmt;

use super::numbers::{Ranges, is_same, slack};
use super::{
    ConfigurationContent, GateContent, MeasuredContent, MetricContent, OutcomeContent, PointContent,
    QueryContent, ReportContent, SegmentContent,
};
use crate::metric::Metric;
use crate::model::{ConfigurationHistory, HistoryReport, Latency};
use crate::stats;

/// Where a report says something that cannot be, or that it does not say elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inconsistency {
    /// The value, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

impl std::error::Error for Inconsistency {}

impl ReportContent {
    /// Whether the report agrees with itself and with what places it in a history.
    ///
    /// # Errors
    /// The first place that does not: a score or a mean beyond the range of its metric; a mean, or a sum of counts, that is
    /// not that of its queries; an interval beside its value; counts that are not those of their lists; a configuration, a
    /// query or a metric that comes twice or is missing; a gate whose verdict is not that of its own numbers, or that was
    /// decided on a metric of which no query has a score. A gate that could not be decided says so itself: what it lacks is
    /// no contradiction.
    pub fn check(&self, history: Option<&HistoryReport>) -> Result<(), Inconsistency> {
        let mut ranges = Ranges::default();
        if let Some(confidence) = self.confidence.filter(|level| !(*level > 0.0 && *level < 1.0)) {
            return Err(inconsistency(
                "/confidence",
                format!("{confidence} is no confidence: it lies between 0 and 1"),
            ));
        }
        check_unique("/metrics", self.metrics.iter().map(String::as_str))?;
        check_unique("/configurations", self.configurations.iter().map(|one| one.name.as_str()))?;
        for (place, one) in self.configurations.iter().enumerate() {
            let at = format!("/configurations/{place}");
            if let Some(measured) = one.measured() {
                measured.check(&format!("{at}/outcome/measured"), &mut ranges)?;
                self.check_queries(&at, one, measured)?;
            }
        }
        for (place, gate) in self.gates.iter().enumerate() {
            gate.check(&format!("/gates/{place}"), &mut ranges)?;
        }
        history.map_or(Ok(()), |history| self.check_history(history, &mut ranges))
    }

    /// A variant may leave some queries out.
    fn check_queries(
        &self,
        at: &str,
        one: &ConfigurationContent,
        measured: &MeasuredContent,
    ) -> Result<(), Inconsistency> {
        let all = self.collection.as_ref().and_then(|collection| collection.queries);
        let queries = measured.queries.len();
        let Some(all) = all.filter(|all| queries > *all || (queries < *all && one.variant.is_none())) else {
            return Ok(());
        };
        let pointer = format!("{at}/outcome/measured/queries");
        Err(inconsistency(&pointer, format!("it lists {queries} queries, and `collection` counts {all}")))
    }

    fn check_history(&self, history: &HistoryReport, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        check_unique("/history/configurations", history.configurations.iter().map(|one| one.name.as_str()))?;
        for (place, one) in history.configurations.iter().enumerate() {
            let at = format!("/history/configurations/{place}");
            let own = self.configurations.iter().find(|own| own.name == one.name);
            let Some(own) = own.filter(|own| !matches!(own.outcome, OutcomeContent::Other)) else {
                let message = format!("`configurations` has no scores of {}", one.name);
                return Err(inconsistency("/configurations", message));
            };
            if let Some(depth) = own.depth.filter(|depth| *depth != one.depth) {
                let message = format!("it is {} here, and {depth} in `configurations`", one.depth);
                return Err(inconsistency(&format!("{at}/depth"), message));
            }
            if let Some(measured) = own.measured() {
                self.check_gated(&at, one, measured, ranges)?;
            }
        }
        Ok(())
    }

    /// Whether the metrics that gates stand on have scores, so that no loss is hidden by leaving them out. A metric of which
    /// some answers say nothing has none, and its gate is errored; queries without an answer are not among those that
    /// are scored.
    fn check_gated(
        &self,
        at: &str,
        one: &ConfigurationHistory,
        measured: &MeasuredContent,
        ranges: &mut Ranges,
    ) -> Result<(), Inconsistency> {
        let Some(first) = measured.queries.first() else { return Ok(()) };
        for metric in one.gated.iter().filter(|metric| !first.scores.contains_key(*metric)) {
            if !self.metrics.contains(metric) {
                let message = format!("a gate stands on {metric}, and no query has a score of it");
                return Err(inconsistency(&format!("{at}/gated"), message));
            }
            if ranges.metric(metric).is_some_and(|metric| metric.requirements().unanswerable) {
                continue;
            }
            let needs = |gate: &GateContent| gate.needs_scores_of(&one.name, metric);
            if let Some(place) = self.gates.iter().position(needs) {
                let message =
                    format!("it was decided on {metric}, and no query of {} has a score of it", one.name);
                return Err(inconsistency(&format!("/gates/{place}/verdict"), message));
            }
        }
        Ok(())
    }
}

impl MeasuredContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        check_unique(&format!("{at}/queries"), self.queries.iter().map(|query| query.id.as_str()))?;
        for (place, query) in self.queries.iter().enumerate() {
            query.check(&format!("{at}/queries/{place}"), self.queries.first(), ranges)?;
        }
        check_unique(&format!("{at}/unanswered"), self.unanswered.iter().map(String::as_str))?;
        let known: BTreeSet<&str> = self.queries.iter().map(|query| query.id.as_str()).collect();
        if let Some(place) = self.unanswered.iter().position(|id| !known.contains(id.as_str())) {
            let message = format!("`{}` is none of the queries", self.unanswered[place]);
            return Err(inconsistency(&format!("{at}/unanswered/{place}"), message));
        }
        let all: Vec<&QueryContent> = self.queries.iter().collect();
        check_rows(&format!("{at}/metrics"), &self.metrics, &all, ranges)?;
        for (place, segment) in self.segments.iter().enumerate() {
            let at = format!("{at}/segments/{place}");
            let belongs =
                |query: &&&QueryContent| query.query().segments(&segment.key).contains(&segment.value);
            let own: Vec<&QueryContent> = all.iter().filter(belongs).copied().collect();
            if own.len() != segment.queries {
                let SegmentContent { key, value, queries, .. } = segment;
                let message = format!("{queries} queries of {key}={value}, and {} are listed", own.len());
                return Err(inconsistency(&format!("{at}/queries"), message));
            }
            check_rows(&format!("{at}/metrics"), &segment.metrics, &own, ranges)?;
        }
        for (place, curve) in self.curves.iter().enumerate() {
            for (point, PointContent { cutoff, value }) in curve.points.iter().enumerate() {
                let metric = format!("{}@{cutoff}", curve.metric);
                let pointer = || format!("{at}/curves/{place}/points/{point}/value");
                ranges.check_value(pointer, &metric, *value, "")?;
            }
        }
        if let Some(Latency { p50, p95, max }) = self.latency
            && !(0.0 <= p50 && p50 <= p95 && p95 <= max)
        {
            let message =
                format!("{p50}, {p95} and {max} ms are not a median, a 95th percentile and a maximum");
            return Err(inconsistency(&format!("{at}/latency"), message));
        }
        Ok(())
    }
}

impl QueryContent {
    fn check(&self, at: &str, first: Option<&Self>, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let id = &self.id;
        if first.is_some_and(|first| !first.scores.keys().eq(self.scores.keys())) {
            let message = format!("query `{id}` has scores of other metrics than the first");
            return Err(inconsistency(&format!("{at}/scores"), message));
        }
        let golden = self.golden.iter().map(|golden| ("golden".to_owned(), &golden.scores));
        let anchors = self.anchors.iter();
        let anchors = anchors.map(|(name, golden)| (format!("anchors/{}", escaped(name)), &golden.scores));
        for (key, scores) in std::iter::once((String::new(), &self.scores)).chain(golden).chain(anchors) {
            for (metric, score) in scores {
                let pointer = || {
                    let slash = if key.is_empty() { "" } else { "/" };
                    format!("{at}/{key}{slash}scores/{}", escaped(metric))
                };
                if !self.scores.contains_key(metric) {
                    let message = format!("query `{id}` has no score of {metric} beside it");
                    return Err(inconsistency(&pointer(), message));
                }
                ranges.check_value(pointer, metric, *score, &format!(" of query `{id}`"))?;
            }
        }
        let Self { retrieved, relevant, found, first_relevant, .. } = *self;
        let (Some(retrieved), Some(relevant), Some(found)) = (retrieved, relevant, found) else {
            return Ok(());
        };
        if found > retrieved.min(relevant) {
            let message =
                format!("query `{id}` finds {found} of {relevant} relevant documents in {retrieved} results");
            return Err(inconsistency(&format!("{at}/found"), message));
        }
        // Earlier reports name one below the results that they count, of a stage.
        let is_among = first_relevant.is_some_and(|rank| rank <= retrieved);
        if is_among != (found > 0) || first_relevant == Some(0) {
            let rank = first_relevant.map_or_else(|| "none".to_owned(), |rank| format!("rank {rank}"));
            let message = format!(
                "query `{id}` has its first relevant document at {rank}, and finds {found} in {retrieved} results"
            );
            return Err(inconsistency(&format!("{at}/first_relevant"), message));
        }
        if let (Some(dcg), Some(ideal)) = (self.dcg, self.ideal_dcg)
            && (dcg < 0.0 || dcg > ideal + slack(dcg, ideal))
        {
            let message = format!("query `{id}` has a gain of {dcg}, and the best ranking one of {ideal}");
            return Err(inconsistency(&format!("{at}/dcg"), message));
        }
        Ok(())
    }
}

/// Values over queries, each with what the scores of these queries make of it.
fn check_rows(
    at: &str,
    rows: &[MetricContent],
    queries: &[&QueryContent],
    ranges: &mut Ranges,
) -> Result<(), Inconsistency> {
    check_unique(at, rows.iter().map(|row| row.metric.as_str()))?;
    for (place, row) in rows.iter().enumerate() {
        let (at, metric) = (format!("{at}/{place}"), &row.metric);
        row.check_values(&at, ranges)?;
        let scores = queries.iter().map(|query| query.scores.get(metric).copied());
        let golden = queries.iter().map(|query| query.golden_score(metric));
        // Of what only some queries have nothing can be said.
        let sides = [
            ("value", Some(row.value), scores.collect::<Option<Vec<f64>>>()),
            ("golden", row.golden, golden.collect::<Option<Vec<f64>>>()),
        ];
        for (key, value, scores) in sides {
            let (Some(value), Some(scores)) = (value, scores) else { continue };
            let is_sum = ranges.metric(metric).is_some_and(Metric::is_count);
            let expected = if is_sum { stats::sum(&scores) } else { stats::mean(&scores) };
            let of = if is_sum { "sum" } else { "mean" };
            if let Ok(expected) = expected
                && !is_same(value, expected)
            {
                let message = format!("{metric} is {value}, and the {of} of its queries is {expected}");
                return Err(inconsistency(&format!("{at}/{key}"), message));
            }
        }
        row.check_intervals(&at)?;
    }
    Ok(())
}

impl MetricContent {
    pub(super) fn check_values(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let metric = &self.metric;
        ranges.check_value(|| format!("{at}/value"), metric, self.value, "")?;
        if let Some(golden) = self.golden {
            ranges.check_value(|| format!("{at}/golden"), metric, golden, " of the golden run")?;
        }
        Ok(())
    }

    pub(super) fn check_intervals(&self, at: &str) -> Result<(), Inconsistency> {
        for (key, ends) in [("interval", self.interval), ("spread", self.spread)] {
            let Some([low, high]) = ends else { continue };
            let (value, metric) = (self.value, &self.metric);
            if value < low - slack(value, low) || value > high + slack(value, high) {
                let message = format!("{metric} is {value}, which is not between {low} and {high}");
                return Err(inconsistency(&format!("{at}/{key}"), message));
            }
        }
        Ok(())
    }
}

pub(super) fn inconsistency(pointer: &str, message: String) -> Inconsistency {
    Inconsistency { pointer: pointer.to_owned(), message }
}

/// A key in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Names in a list that have to be there once.
fn check_unique<'a>(pointer: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Inconsistency> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(inconsistency(pointer, format!("`{name}` comes twice")));
        }
    }
    Ok(())
}
