//! What a whole report says in numbers, and whether they agree: a mean with the scores of its queries, a score with the
//! range of its metric, an interval with its value, a count with its list.
//!
//! Histories are made of scores, so that a report that contradicts itself would be compared with honest ones. Of a metric of
//! a team's own the range is not known.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::collection::{Metadata, Query};
use crate::measured::Scores;
use crate::metric::Metric;
use crate::model::{Bound, HistoryReport, Latency, Limit, Verdict, Verdicts};
use crate::{order, stats};

/// By how much two numbers may differ that are the same, as a share of the larger: another machine may round otherwise.
const ROUNDING: f64 = 1e-9;

/// What is read of a whole `report.json` for histories; `serde` reads it.
#[derive(Debug, Deserialize)]
pub struct ReportContent {
    // What stands twice is refused, so that all who read a report read the same.
    #[serde(rename = "schema")]
    _schema: Option<IgnoredAny>,
    #[serde(rename = "benchmark")]
    _benchmark: Option<IgnoredAny>,
    #[serde(rename = "history")]
    _history: Option<IgnoredAny>,
    confidence: Option<f64>,
    collection: Option<CollectionContent>,
    #[serde(default)]
    metrics: Vec<String>,
    #[serde(default)]
    configurations: Vec<ConfigurationContent>,
    #[serde(default)]
    gates: Vec<GateContent>,
}

#[derive(Debug, Deserialize)]
struct CollectionContent {
    queries: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct ConfigurationContent {
    name: String,
    depth: Option<usize>,
    variant: Option<IgnoredAny>,
    outcome: OutcomeContent,
}

/// One that was not measured has no scores, whatever else it has.
#[derive(Debug)]
struct OutcomeContent(Option<MeasuredContent>);

#[derive(Debug, Deserialize)]
struct MeasuredContent {
    latency: Option<Latency>,
    #[serde(default)]
    unanswered: Vec<String>,
    #[serde(default)]
    metrics: Vec<MetricContent>,
    #[serde(default)]
    segments: Vec<SegmentContent>,
    #[serde(default)]
    curves: Vec<CurveContent>,
    queries: Vec<QueryContent>,
}

#[derive(Debug, Deserialize)]
struct MetricContent {
    metric: String,
    value: f64,
    interval: Option<[f64; 2]>,
    spread: Option<[f64; 2]>,
    golden: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct SegmentContent {
    key: String,
    value: String,
    queries: usize,
    metrics: Vec<MetricContent>,
}

#[derive(Debug, Deserialize)]
struct CurveContent {
    metric: String,
    points: Vec<PointContent>,
}

#[derive(Debug, Deserialize)]
struct PointContent {
    cutoff: usize,
    value: f64,
}

#[derive(Debug, Deserialize)]
struct QueryContent {
    id: String,
    #[serde(default)]
    metadata: Metadata,
    scores: BTreeMap<String, f64>,
    golden: Option<GoldenContent>,
    #[serde(default)]
    anchors: BTreeMap<String, GoldenContent>,
    retrieved: Option<usize>,
    relevant: Option<usize>,
    found: Option<usize>,
    first_relevant: Option<usize>,
    dcg: Option<f64>,
    ideal_dcg: Option<f64>,
}

/// What is as it is now is left out of what is said of a golden run.
#[derive(Debug, Deserialize)]
struct GoldenContent {
    #[serde(default)]
    scores: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
struct GateContent {
    verdict: Verdict,
    finding: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

#[derive(Deserialize)]
struct ThresholdContent {
    min: Option<f64>,
    max: Option<f64>,
    bound: Bound,
    held: Option<f64>,
    broken: Option<Limit>,
    measured: MetricContent,
    /// What people correct may lie beyond what a metric can be.
    corrected: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ComparisonContent {
    units: usize,
    wins: usize,
    ties: usize,
    losses: usize,
    baseline_mean: f64,
    candidate_mean: f64,
    difference: f64,
    metric: String,
    p_two_sided: f64,
    p_greater: f64,
    p_less: f64,
    p_deciding: f64,
    p_adjusted: f64,
    corrected: Option<IgnoredAny>,
}

/// Scores of a ranking, and of the golden one that stood there.
pub(crate) type Both = (Arc<Scores>, Arc<Scores>);

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

impl<'de> Deserialize<'de> for OutcomeContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OutcomeVisitor;
        impl<'de> Visitor<'de> for OutcomeVisitor {
            type Value = OutcomeContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the outcome of a configuration")
            }

            fn visit_str<E>(self, _: &str) -> Result<OutcomeContent, E> {
                Ok(OutcomeContent(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OutcomeContent, A::Error> {
                let mut found = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key == "measured" && found.is_none() {
                        found = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(OutcomeContent(found))
            }
        }
        deserializer.deserialize_any(OutcomeVisitor)
    }
}

impl ConfigurationContent {
    fn measured(&self) -> Option<&MeasuredContent> {
        self.outcome.0.as_ref()
    }
}

impl QueryContent {
    /// The query as a collection has it, without its text.
    fn query(&self) -> Query {
        let mut query = Query::new(&self.id, "");
        query.metadata.clone_from(&self.metadata);
        query
    }

    fn golden_score(&self, metric: &str) -> Option<f64> {
        let now = self.scores.get(metric)?;
        Some(*self.golden.as_ref()?.scores.get(metric).unwrap_or(now))
    }
}

impl ReportContent {
    /// How many of its gates came to each verdict.
    #[must_use]
    pub fn verdicts(&self) -> Verdicts {
        self.gates.iter().map(|gate| gate.verdict).collect()
    }

    /// Times that the answers of a configuration took.
    #[must_use]
    pub fn latency(&self, configuration: &str) -> Option<Latency> {
        let own = self.configurations.iter().find(|one| one.name == configuration)?;
        own.measured()?.latency
    }

    /// By configuration the scores of its ranking, and of the golden one that stood there; `cluster` is the metadata key
    /// that groups queries.
    ///
    /// # Errors
    /// Queries that do not all have the same metrics, or lack what they are grouped by.
    pub fn scores(&self, cluster: Option<&str>) -> Result<BTreeMap<String, Both>, String> {
        let measured = self.configurations.iter().filter_map(|one| Some((one, one.measured()?)));
        let scores = measured
            .map(|(one, measured)| Ok((one.name.clone(), both(&measured.queries, &self.metrics, cluster)?)));
        scores.collect()
    }

    /// Whether the report agrees with itself and with what places it in a history.
    ///
    /// # Errors
    /// The first place that does not: a score or a mean beyond the range of its metric; a mean, or a sum of counts, that is
    /// not that of its queries; an interval beside its value; counts that are not those of their lists; a configuration, a
    /// query or a metric that comes twice or is missing; a gate whose verdict is not that of its own numbers.
    pub fn check(&self, history: Option<&HistoryReport>) -> Result<(), Inconsistency> {
        let mut ranges = Ranges::default();
        if let Some(confidence) = self.confidence.filter(|level| !(*level > 0.0 && *level < 1.0)) {
            return Err(wrong(
                "/confidence",
                format!("{confidence} is no confidence: it lies between 0 and 1"),
            ));
        }
        once("/metrics", self.metrics.iter().map(String::as_str))?;
        once("/configurations", self.configurations.iter().map(|one| one.name.as_str()))?;
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
        history.map_or(Ok(()), |history| self.check_history(history))
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
        Err(wrong(&pointer, format!("it lists {queries} queries, and `collection` counts {all}")))
    }

    fn check_history(&self, history: &HistoryReport) -> Result<(), Inconsistency> {
        once("/history/configurations", history.configurations.iter().map(|one| one.name.as_str()))?;
        for (place, one) in history.configurations.iter().enumerate() {
            let at = format!("/history/configurations/{place}");
            let own = self.configurations.iter().find(|own| own.name == one.name);
            let Some((own, measured)) = own.and_then(|own| Some((own, own.measured()?))) else {
                let message = format!("`configurations` has no scores of {}", one.name);
                return Err(wrong("/configurations", message));
            };
            if let Some(depth) = own.depth.filter(|depth| *depth != one.depth) {
                let message = format!("it is {} here, and {depth} in `configurations`", one.depth);
                return Err(wrong(&format!("{at}/depth"), message));
            }
            let scored = measured.queries.first().map(|query| &query.scores);
            let unknown = |metric: &&String| scored.is_some_and(|scores| !scores.contains_key(*metric));
            if let Some(metric) = one.gated.iter().find(unknown) {
                let message = format!("a gate stands on {metric}, and no query has a score of it");
                return Err(wrong(&format!("{at}/gated"), message));
            }
        }
        Ok(())
    }
}

impl MeasuredContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        once(&format!("{at}/queries"), self.queries.iter().map(|query| query.id.as_str()))?;
        for (place, query) in self.queries.iter().enumerate() {
            query.check(&format!("{at}/queries/{place}"), self.queries.first(), ranges)?;
        }
        once(&format!("{at}/unanswered"), self.unanswered.iter().map(String::as_str))?;
        let known: BTreeSet<&str> = self.queries.iter().map(|query| query.id.as_str()).collect();
        if let Some(place) = self.unanswered.iter().position(|id| !known.contains(id.as_str())) {
            let message = format!("`{}` is none of the queries", self.unanswered[place]);
            return Err(wrong(&format!("{at}/unanswered/{place}"), message));
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
                return Err(wrong(&format!("{at}/queries"), message));
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
            return Err(wrong(&format!("{at}/latency"), message));
        }
        Ok(())
    }
}

impl QueryContent {
    fn check(&self, at: &str, first: Option<&Self>, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let id = &self.id;
        if first.is_some_and(|first| !first.scores.keys().eq(self.scores.keys())) {
            let message = format!("query `{id}` has scores of other metrics than the first");
            return Err(wrong(&format!("{at}/scores"), message));
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
                    return Err(wrong(&pointer(), message));
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
            return Err(wrong(&format!("{at}/found"), message));
        }
        if first_relevant.is_some() != (found > 0)
            || first_relevant.is_some_and(|rank| rank == 0 || rank > retrieved)
        {
            let rank = first_relevant.map_or_else(|| "none".to_owned(), |rank| format!("rank {rank}"));
            let message = format!(
                "query `{id}` has its first relevant document at {rank}, and finds {found} in {retrieved} results"
            );
            return Err(wrong(&format!("{at}/first_relevant"), message));
        }
        if let (Some(dcg), Some(ideal)) = (self.dcg, self.ideal_dcg)
            && (dcg < 0.0 || dcg > ideal + slack(dcg, ideal))
        {
            let message = format!("query `{id}` has a gain of {dcg}, and the best ranking one of {ideal}");
            return Err(wrong(&format!("{at}/dcg"), message));
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
    once(at, rows.iter().map(|row| row.metric.as_str()))?;
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
                return Err(wrong(&format!("{at}/{key}"), message));
            }
        }
        row.check_intervals(&at)?;
    }
    Ok(())
}

impl MetricContent {
    fn check_values(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let metric = &self.metric;
        ranges.check_value(|| format!("{at}/value"), metric, self.value, "")?;
        if let Some(golden) = self.golden {
            ranges.check_value(|| format!("{at}/golden"), metric, golden, " of the golden run")?;
        }
        Ok(())
    }

    fn check_intervals(&self, at: &str) -> Result<(), Inconsistency> {
        for (key, ends) in [("interval", self.interval), ("spread", self.spread)] {
            let Some([low, high]) = ends else { continue };
            let (value, metric) = (self.value, &self.metric);
            if value < low - slack(value, low) || value > high + slack(value, high) {
                let message = format!("{metric} is {value}, which is not between {low} and {high}");
                return Err(wrong(&format!("{at}/{key}"), message));
            }
        }
        Ok(())
    }
}

impl GateContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let Some(finding) = &self.finding else { return Ok(()) };
        let at = format!("{at}/finding");
        let failed = |error: serde_json::Error| wrong(&at, error.to_string());
        let Kind { kind } = serde_json::from_str(finding.get()).map_err(failed)?;
        match kind.as_str() {
            "threshold" => {
                let finding: ThresholdContent = serde_json::from_str(finding.get()).map_err(failed)?;
                finding.check(&at, self.verdict, ranges)
            }
            "comparison" => {
                let finding: ComparisonContent = serde_json::from_str(finding.get()).map_err(failed)?;
                finding.check(&at, ranges)
            }
            // The others hold nothing that is said elsewhere, or are of a later version.
            _ => Ok(()),
        }
    }
}

impl ThresholdContent {
    fn check(&self, at: &str, verdict: Verdict, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        if self.corrected.is_none() {
            self.measured.check_values(&format!("{at}/measured"), ranges)?;
        }
        self.measured.check_intervals(&format!("{at}/measured"))?;
        let Some(held) = self.held else { return Ok(()) };
        let expected = match self.bound {
            Bound::Mean => Some(self.measured.value),
            Bound::Lower => self.measured.interval.map(|[low, _]| low),
            Bound::Upper => self.measured.interval.map(|[_, high]| high),
        };
        if let Some(expected) = expected.filter(|expected| !is_same(held, *expected)) {
            let message = format!("it is {held}, and `measured` has {expected} there");
            return Err(wrong(&format!("{at}/held"), message));
        }
        // A value that is its limit but for rounding keeps it.
        let is_below = self.min.is_some_and(|min| held < min - slack(held, min));
        let is_above = self.max.is_some_and(|max| held > max + slack(held, max));
        if verdict == Verdict::Passed && (is_below || is_above || self.broken.is_some()) {
            let message = format!("the gate passed, and {held} breaks its limit");
            return Err(wrong(&format!("{at}/held"), message));
        }
        Ok(())
    }
}

impl ComparisonContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let Self { wins, ties, losses, units, .. } = *self;
        if wins.checked_add(ties).and_then(|some| some.checked_add(losses)) != Some(units) {
            let message = format!("{wins} wins, {ties} ties and {losses} losses are not {units} units");
            return Err(wrong(&format!("{at}/units"), message));
        }
        let ps = [
            ("p_two_sided", self.p_two_sided),
            ("p_greater", self.p_greater),
            ("p_less", self.p_less),
            ("p_deciding", self.p_deciding),
            ("p_adjusted", self.p_adjusted),
        ];
        for (key, p) in ps {
            if !(0.0..=1.0 + ROUNDING).contains(&p) {
                return Err(wrong(
                    &format!("{at}/{key}"),
                    format!("{p} is no p-value: they lie between 0 and 1"),
                ));
            }
        }
        if self.corrected.is_some() {
            return Ok(());
        }
        for (key, mean) in [("baseline_mean", self.baseline_mean), ("candidate_mean", self.candidate_mean)] {
            ranges.check_value(|| format!("{at}/{key}"), &self.metric, mean, "")?;
        }
        let (difference, expected) = (self.difference, self.candidate_mean - self.baseline_mean);
        if (difference - expected).abs() > slack(self.candidate_mean, self.baseline_mean) {
            let message = format!("it is {difference}, and the means differ by {expected}");
            return Err(wrong(&format!("{at}/difference"), message));
        }
        Ok(())
    }
}

/// Metrics by their names, each read once; `None` of those that are not built in.
#[derive(Default)]
struct Ranges(HashMap<String, Option<Metric>>);

impl Ranges {
    fn metric(&mut self, name: &str) -> Option<&Metric> {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), name.parse().ok());
        }
        self.0.get(name)?.as_ref()
    }

    /// A value of a metric, for one query or over all of them; of a sum of counts only the lower end is known.
    fn check_value(
        &mut self,
        pointer: impl Fn() -> String,
        metric: &str,
        value: f64,
        of: &str,
    ) -> Result<(), Inconsistency> {
        if !value.is_finite() {
            return Err(wrong(&pointer(), format!("{metric}{of} is no finite number")));
        }
        let Some(range) = self.metric(metric).map(Metric::range) else { return Ok(()) };
        let (low, high) = (*range.start(), *range.end());
        if value >= low - ROUNDING && value <= high + ROUNDING {
            return Ok(());
        }
        let lies = if high.is_finite() {
            format!("lies between {low} and {high}")
        } else {
            format!("is never below {low}")
        };
        Err(wrong(&pointer(), format!("{metric}{of} is {value}, and {metric} {lies}")))
    }
}

/// By how much two numbers may differ that are the same.
fn slack(one: f64, other: f64) -> f64 {
    ROUNDING * one.abs().max(other.abs()).max(1.0)
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= slack(one, other)
}

fn wrong(pointer: &str, message: String) -> Inconsistency {
    Inconsistency { pointer: pointer.to_owned(), message }
}

/// A key in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Names in a list that have to be there once.
fn once<'a>(pointer: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Inconsistency> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(wrong(pointer, format!("`{name}` comes twice")));
        }
    }
    Ok(())
}

/// The scores of queries on metrics in this order.
fn both(queries: &[QueryContent], metrics: &[String], cluster: Option<&str>) -> Result<Both, String> {
    let mut by_metric: BTreeMap<&String, [Vec<f64>; 2]> = BTreeMap::new();
    for query in queries {
        for (metric, score) in &query.scores {
            // What is as it is now is left out of what is said of the golden run.
            let other = query.golden.as_ref().and_then(|golden| golden.scores.get(metric));
            let [now, golden] = by_metric.entry(metric).or_default();
            now.push(*score);
            golden.push(*other.unwrap_or(score));
        }
    }
    if by_metric.values().any(|[now, _]| now.len() != queries.len()) {
        return Err("its queries do not all have the same metrics".to_owned());
    }
    let group_of =
        |query: &QueryContent, key: &str| query.query().group(key).map_err(|error| error.to_string());
    let groups = cluster.map(|key| queries.iter().map(|query| group_of(query, key)).collect());
    let mut now = Scores {
        queries: queries.iter().map(|query| query.id.clone()).collect(),
        groups: groups.transpose()?,
        by_metric: Vec::new(),
    };
    let mut golden = now.clone();
    let mut by_metric: Vec<_> = by_metric.into_iter().collect();
    let place = |metric: &String| metrics.iter().position(|other| other == metric).unwrap_or(metrics.len());
    order::sort_by_key(&mut by_metric, |(metric, _)| place(metric));
    for (metric, [of_now, of_golden]) in by_metric {
        now.by_metric.push((metric.clone(), of_now));
        golden.by_metric.push((metric.clone(), of_golden));
    }
    Ok((Arc::new(now), Arc::new(golden)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Two queries: nDCG@10 is (.25 + .75) / 2 = .5 now and (.5 + .75) / 2 = .625 in the golden run, found is 1 + 2 = 3.
    fn report() -> Value {
        let query = |id: &str, ndcg: f64, found: usize, rank: usize, golden: Value| {
            json!({"id": id, "metadata": {"kind": ["short", id]}, "scores": {"NumRelRet": found, "nDCG@10": ndcg, "ours": 7.5},
                "retrieved": 10, "relevant": 2, "found": found, "first_relevant": rank, "dcg": 1.5, "ideal_dcg": 2.0,
                "golden": golden, "anchors": {"golden@v1": {"scores": {"nDCG@10": 1.0}}}})
        };
        let row = |metric: &str, value: f64| json!({"metric": metric, "value": value, "interval": null});
        let first = query("q1", 0.25, 1, 10, json!({"scores": {"nDCG@10": 0.5}}));
        let second = query("q2", 0.75, 2, 1, json!({}));
        json!({"schema": 2, "benchmark": "toy", "confidence": 0.95, "collection": {"queries": 2}, "metrics": ["nDCG@10", "NumRelRet", "ours"],
            "history": {"commit": "c1", "queries": "q", "judgments": "j", "corpus": "", "definitions": "1",
                "configurations": [{"name": "words", "depth": 10, "ranking": "r", "golden": "g", "gated": ["nDCG@10"]}]},
            "configurations": [
                {"name": "words", "depth": 10, "outcome": {"measured": {
                    "latency": {"p50_ms": 1.0, "p95_ms": 2.0, "max_ms": 2.0}, "unanswered": ["q1"],
                    "metrics": [
                        {"metric": "nDCG@10", "value": 0.5, "interval": [0.1, 0.9], "spread": [0.5, 0.5], "golden": 0.625},
                        row("NumRelRet", 3.0), row("ours", 7.5)],
                    "segments": [{"key": "kind", "value": "q2", "queries": 1, "metrics": [row("nDCG@10", 0.75)]},
                        {"key": "kind", "value": "short", "queries": 2, "metrics": [row("nDCG@10", 0.5)]}],
                    "curves": [{"metric": "nDCG", "points": [{"cutoff": 1, "value": 0.5}]}],
                    "queries": [first, second]}}},
                {"name": "other", "outcome": "not-asked"}],
            "gates": [
                {"verdict": "passed", "finding": {"kind": "threshold", "metric": "nDCG@10", "min": 0.4, "bound": "mean",
                    "held": 0.5, "measured": {"metric": "nDCG@10", "value": 0.5, "interval": [0.1, 0.9]}}},
                {"verdict": "failed", "finding": {"kind": "comparison", "metric": "nDCG@10", "units": 2, "wins": 0, "ties": 1,
                    "losses": 1, "baseline_mean": 0.625, "candidate_mean": 0.5, "difference": -0.125, "p_two_sided": 1.0,
                    "p_greater": 1.0, "p_less": 0.5, "p_deciding": 1.0, "p_adjusted": 1.0}},
                {"verdict": "passed", "finding": {"kind": "weather", "metric": 3, "held": "wet"}}]})
    }

    fn check(report: &Value) -> Result<(), String> {
        let content: ReportContent =
            serde_json::from_value(report.clone()).map_err(|error| error.to_string())?;
        let history: HistoryReport = serde_json::from_value(report["history"].clone()).unwrap();
        content.check(Some(&history)).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_report_that_agrees_with_itself_is_taken() {
        assert_eq!(check(&report()), Ok(()));
    }

    /// Each changes one value of a report that agrees with itself.
    #[test]
    fn what_contradicts_itself_is_named_with_its_place() {
        let measured = "/configurations/0/outcome/measured";
        let cases = [
            // What is no score of its metric, or no mean of its queries.
            (
                "queries/0/scores/nDCG@10",
                json!(7.5),
                "nDCG@10 of query `q1` is 7.5, and nDCG@10 lies between 0 and 1",
            ),
            (
                "queries/0/scores/NumRelRet",
                json!(-1),
                "NumRelRet of query `q1` is -1, and NumRelRet is never below 0",
            ),
            ("queries/1/golden", json!({"scores": {"nDCG@10": -0.1}}), ""),
            ("queries/1/anchors/golden@v1/scores/nDCG@10", json!(1.1), ""),
            ("metrics/0/value", json!(0.75), "nDCG@10 is 0.75, and the mean of its queries is 0.5"),
            ("metrics/0/value", json!(7.5), "nDCG@10 is 7.5, and nDCG@10 lies between 0 and 1"),
            ("metrics/0/golden", json!(0.5), "nDCG@10 is 0.5, and the mean of its queries is 0.625"),
            ("metrics/1/value", json!(1.5), "NumRelRet is 1.5, and the sum of its queries is 3"),
            ("metrics/2/value", json!(0.5), "ours is 0.5, and the mean of its queries is 7.5"),
            ("segments/0/metrics/0/value", json!(0.5), "nDCG@10 is 0.5, and the mean of its queries is 0.75"),
            ("curves/0/points/0/value", json!(1.5), "nDCG@1 is 1.5, and nDCG@1 lies between 0 and 1"),
            // An interval beside its value, or from its end to its beginning.
            ("metrics/0/interval", json!([0.6, 0.9]), "nDCG@10 is 0.5, which is not between 0.6 and 0.9"),
            ("metrics/0/interval", json!([0.9, 0.1]), "nDCG@10 is 0.5, which is not between 0.9 and 0.1"),
            ("metrics/0/spread", json!([0.0, 0.4]), "nDCG@10 is 0.5, which is not between 0 and 0.4"),
            // Counts and their lists.
            ("unanswered/0", json!("q3"), "`q3` is none of the queries"),
            ("segments/0/queries", json!(2), "2 queries of kind=q2, and 1 are listed"),
            ("queries/0/found", json!(3), "query `q1` finds 3 of 2 relevant documents in 10 results"),
            ("queries/0/first_relevant", json!(11), ""),
            ("queries/0/first_relevant", Value::Null, ""),
            ("queries/0/dcg", json!(2.5), "query `q1` has a gain of 2.5, and the best ranking one of 2"),
            ("latency", json!({"p50_ms": 2.0, "p95_ms": 1.0, "max_ms": 2.0}), ""),
        ];
        let cases = cases.map(|(key, value, message)| (format!("{measured}/{key}"), value, message));
        let gates = [
            ("/gates/0/finding/held", json!(0.6), "it is 0.6, and `measured` has 0.5 there"),
            ("/gates/1/finding/units", json!(3), "0 wins, 1 ties and 1 losses are not 3 units"),
            ("/gates/1/finding/p_less", json!(1.5), "1.5 is no p-value: they lie between 0 and 1"),
            ("/gates/1/finding/difference", json!(0.125), "it is 0.125, and the means differ by -0.125"),
            ("/gates/1/finding/baseline_mean", json!(62.5), ""),
            ("/confidence", json!(95), "95 is no confidence: it lies between 0 and 1"),
            ("/history/configurations/0/depth", json!(100), "it is 100 here, and 10 in `configurations`"),
            (
                "/history/configurations/0/gated",
                json!(["RR"]),
                "a gate stands on RR, and no query has a score of it",
            ),
        ];
        let gates = gates.map(|(pointer, value, message)| (pointer.to_owned(), value, message));
        for (pointer, value, message) in cases.into_iter().chain(gates) {
            let mut report = report();
            *report.pointer_mut(&pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
            let said = check(&report).expect_err(&pointer);
            assert!(said.starts_with(&pointer), "{pointer}: {said}");
            assert!(message.is_empty() || said == format!("{pointer}: {message}"), "{said}");
        }
    }

    #[test]
    fn what_is_missing_or_comes_twice_is_named() {
        let change = |change: &dyn Fn(&mut Value)| {
            let mut report = report();
            change(&mut report);
            check(&report).unwrap_err()
        };
        let measured = "/configurations/0/outcome/measured";
        let said = change(&|report| report["history"]["configurations"][0]["name"] = json!("other"));
        assert_eq!(said, "/configurations: `configurations` has no scores of other");
        let said = change(&|report| report["collection"]["queries"] = json!(3));
        assert_eq!(said, format!("{measured}/queries: it lists 2 queries, and `collection` counts 3"));
        let twice = |list: &mut Value| {
            let first = list[0].clone();
            list.as_array_mut().unwrap().push(first);
        };
        for (pointer, name) in [
            (format!("{measured}/queries"), "q1"),
            (format!("{measured}/metrics"), "nDCG@10"),
            (format!("{measured}/unanswered"), "q1"),
            ("/configurations".to_owned(), "words"),
            ("/history/configurations".to_owned(), "words"),
            ("/metrics".to_owned(), "nDCG@10"),
        ] {
            let said = change(&|report| twice(report.pointer_mut(&pointer).unwrap()));
            assert_eq!(said, format!("{pointer}: `{name}` comes twice"));
        }
        let said = change(&|report| {
            let scores = &mut report["configurations"][0]["outcome"]["measured"]["queries"][1]["scores"];
            drop(scores.as_object_mut().unwrap().remove("ours"));
        });
        assert_eq!(
            said,
            format!("{measured}/queries/1/scores: query `q2` has scores of other metrics than the first")
        );
        // A gate passes on a value that breaks its limit.
        let said = change(&|report| report["gates"][0]["finding"]["min"] = json!(0.6));
        assert_eq!(said, "/gates/0/finding/held: the gate passed, and 0.5 breaks its limit");
    }

    #[test]
    fn numbers_that_are_not_finite_and_keys_that_come_twice_are_not_read() {
        let text = report().to_string();
        let read = |text: &str| {
            serde_json::from_str::<ReportContent>(text).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(read(&text), Ok(()));
        for number in ["1e999", "-1e999", "NaN", "Infinity"] {
            assert!(read(&text.replace("0.625", number)).is_err(), "{number}");
        }
        for key in ["schema", "benchmark", "history", "metrics", "configurations", "gates"] {
            let twice = text.replacen('{', &format!("{{\"{key}\": null, "), 1);
            assert!(read(&twice).is_err(), "{key}");
        }
    }

    #[test]
    fn rounding_is_no_contradiction() {
        let mut report = report();
        let measured = &mut report["configurations"][0]["outcome"]["measured"];
        measured["metrics"][0]["value"] = json!(0.5 + 1e-12);
        measured["queries"][0]["anchors"]["golden@v1"]["scores"]["nDCG@10"] = json!(1.0 + 1e-15);
        assert_eq!(check(&report), Ok(()));
    }
}
