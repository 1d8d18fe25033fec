//! One side of a comparison, query by query: a configuration, or what was blessed of it.

use std::collections::BTreeSet;

use crate::collection;
use crate::model::{
    ComparisonFinding, GateReport, GoldenQuery, Measured, QueryReport, RankingReport, Report,
};
use crate::order;
use crate::stats::ROUNDING;

use super::clean::shorten_name;
use super::lookup::all_measured;

/// What the run is called that was last blessed.
const GOLDEN: &str = "golden";

/// A measured configuration, today or on the day it was blessed.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub configuration: &'a str,
    /// What it is called where it is what was blessed: `golden` or `golden@v1.2`.
    pub blessed: Option<&'a str>,
    pub measured: &'a Measured,
}

impl<'a> Side<'a> {
    /// Its name, of at most so many characters beside what was blessed is called.
    pub fn name(&self, width: usize) -> String {
        let name = shorten_name(self.configuration, width);
        self.blessed.map_or_else(|| name.clone(), |blessed| format!("{name} ({blessed})"))
    }

    /// What was blessed of one of its queries, if this side is that.
    pub fn blessed<'q>(&self, query: &'q QueryReport) -> Option<&'q GoldenQuery> {
        match self.blessed? {
            GOLDEN => query.golden.as_ref(),
            anchor => query.anchors.get(anchor),
        }
    }

    /// The score of one of its queries; `None` where it has none.
    pub fn score(&self, query: &QueryReport, metric: &str) -> Option<f64> {
        let now = query.scores.get(metric).copied();
        match self.blessed {
            None => now,
            Some(_) => self.blessed(query)?.scores.get(metric).copied().or(now),
        }
    }

    /// The ranking of one of its queries.
    pub fn ranking(&self, query: &'a QueryReport) -> Option<&'a RankingReport> {
        let now = query.ranking.as_ref();
        match self.blessed {
            None => now,
            Some(_) => self.blessed(query)?.ranking.as_ref().or(now),
        }
    }

    /// The query of this id; they stand in the order of their ids.
    pub fn query(&self, id: &str) -> Option<&'a QueryReport> {
        let queries = &self.measured.queries;
        let index = queries.binary_search_by(|query| query.id.as_str().cmp(id)).ok()?;
        queries.get(index)
    }
}

/// Every side there is: the configurations that were measured, each followed by what was blessed of it.
pub fn sides(report: &Report) -> Vec<Side<'_>> {
    all_measured(report)
        .into_iter()
        .flat_map(|(configuration, measured)| {
            let side = |blessed| Side { configuration: &configuration.name, blessed, measured };
            let golden = measured.queries.iter().any(|query| query.golden.is_some()).then_some(GOLDEN);
            let anchors: BTreeSet<&str> =
                measured.queries.iter().flat_map(|query| query.anchors.keys()).map(String::as_str).collect();
            let blessed = golden.into_iter().chain(anchors).map(Some);
            [None].into_iter().chain(blessed).map(side).collect::<Vec<_>>()
        })
        .collect()
}

/// Where among all sides a configuration stands that is the candidate of a comparison, and before it what that
/// calls its baseline; `None` where one of them was not measured.
pub fn places(sides: &[Side<'_>], candidate: &str, baseline: &str) -> Option<[usize; 2]> {
    let place = |name: &str, blessed: Option<&str>| {
        sides.iter().position(|side| side.configuration == name && side.blessed == blessed)
    };
    // No configuration is called as what was blessed is: the name is reserved, and has no `@`.
    let baseline = place(candidate, Some(baseline)).or_else(|| place(baseline, None));
    Some([baseline?, place(candidate, None)?])
}

/// The comparisons on a metric that were carried out, in the order of the gates.
pub fn compared<'a>(report: &'a Report) -> Vec<(&'a GateReport, &'a ComparisonFinding)> {
    let comparison = |gate: &'a GateReport| Some((gate, gate.finding.kind().comparison()?));
    report.gates.iter().filter_map(comparison).collect()
}

/// The sides of a comparison, baseline first; `None` where one of them was not measured.
pub fn pair<'a>(sides: &[Side<'a>], finding: &ComparisonFinding) -> Option<[Side<'a>; 2]> {
    places(sides, &finding.candidate, &finding.baseline).map(|places| places.map(|place| sides[place]))
}

/// A query that scores differently on both sides.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    pub query: &'a QueryReport,
    pub before: f64,
    pub after: f64,
}

impl Change<'_> {
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }
}

/// The queries whose scores differ, largest loss first, and how many do not.
pub fn changes<'a>(
    [baseline, candidate]: [Side<'a>; 2],
    finding: &ComparisonFinding,
) -> (Vec<Change<'a>>, usize) {
    let belongs = |query: &QueryReport| {
        finding
            .segment
            .as_ref()
            .is_none_or(|[key, value]| collection::segments(&query.metadata, key).contains(value))
    };
    let mut both: Vec<Change<'a>> = candidate
        .measured
        .queries
        .iter()
        .filter(|query| belongs(query))
        .filter_map(|query| {
            let before = baseline.score(baseline.query(&query.id)?, &finding.metric)?;
            Some(Change { query, before, after: candidate.score(query, &finding.metric)? })
        })
        .collect();
    let all = both.len();
    both.retain(|change| change.difference().abs() > ROUNDING);
    // Queries stand in the order of their ids, and the sort is stable.
    order::sort_by(&mut both, |a, b| a.difference().total_cmp(&b.difference()));
    let unchanged = all - both.len();
    (both, unchanged)
}

#[cfg(test)]
mod tests {
    use super::super::sample_queries::queried;
    use super::*;

    #[test]
    fn a_segments_changes_are_those_of_its_queries() {
        let report = queried();
        let sides = sides(&report);
        let (_, finding) = compared(&report)[0];
        let of = |segment: Option<[&str; 2]>| {
            let segment = segment.map(|pair| pair.map(str::to_owned));
            let finding = ComparisonFinding { segment, ..finding.clone() };
            let (changed, unchanged) = changes(pair(&sides, &finding).unwrap(), &finding);
            (changed.iter().map(|change| change.query.id.clone()).collect::<Vec<_>>(), unchanged)
        };
        // Every fourth query changed, and all of those are of even number.
        let (all, unchanged) = of(None);
        assert_eq!((all.len(), unchanged), (6, 18));
        assert_eq!(of(Some(["category", "billing"])), (all, 6));
        assert_eq!(of(Some(["category", "delivery"])), (vec![], 12));
    }

    #[test]
    fn golden_has_todays_score_where_it_does_not_differ() {
        let report = queried();
        let sides = sides(&report);
        let names: Vec<String> = sides.iter().map(|side| side.name(20)).collect();
        assert_eq!(names, ["bm25", "bm25 (golden)", "bm25-stem"]);
        let scores = |id: &str| {
            [0, 1].map(|side| sides[side].score(sides[side].query(id).unwrap(), "nDCG@10").unwrap())
        };
        assert_eq!(scores("q00001")[0], scores("q00001")[1]);
        assert!(scores("q00004")[0] > scores("q00004")[1]);
        assert_eq!(sides[1].score(sides[2].query("q00001").unwrap(), "nDCG@10"), None);
    }

    #[test]
    fn a_comparison_of_what_was_not_measured_has_no_sides() {
        let report = queried();
        let pairs: Vec<bool> =
            compared(&report).iter().map(|(_, finding)| pair(&sides(&report), finding).is_some()).collect();
        assert_eq!(pairs, [true, true, false]);
    }
}
