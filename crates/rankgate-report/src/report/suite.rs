//! The collections of a suite, and the means over them.

use crate::model::{CollectionValue, MetricReport, Report, SuiteReport};

use super::clean::{clean, shorten_name};
use super::message::{NAME, REMARK};
use super::number::{DECIMALS, count, counted, fixed, interval, percent, queries, signed};
use super::page::{Block, Section, Table};

/// Decimals of an interval.
const LIMITS: usize = 3;

/// What the suite is made of, in a line.
pub(super) fn made_of(suite: &SuiteReport) -> String {
    let collections = counted(suite.collections.len(), "collection", "collections");
    let unknown = suite.collections.iter().filter(|one| one.queries.is_none());
    let unknown: Vec<String> = unknown.map(|one| clean(&one.benchmark)).collect();
    match unknown.is_empty() {
        true => format!("{collections}, which count alike"),
        false => format!("{collections}, which count alike; not loaded: {}", unknown.join(", ")),
    }
}

/// Of each metric the values by collection and their mean, configurations side by side; names take at most
/// so many characters.
pub(super) fn means(report: &Report, name: usize) -> Vec<Section> {
    let Some(suite) = &report.suite else { return Vec::new() };
    let tables = report.metrics.iter().filter_map(|metric| {
        let means: Vec<&(String, MetricReport)> =
            suite.means.iter().filter(|(_, one)| one.metric == *metric).collect();
        Some((metric, table(suite, (!means.is_empty()).then_some(&means)?, name)))
    });
    let heading = |metric: &str| {
        format!("{} by collection, {} interval of the mean", clean(metric), percent(report.confidence))
    };
    tables.map(|(metric, table)| Section::headed(heading(metric)).part([Block::Table(table)])).collect()
}

fn table(suite: &SuiteReport, means: &[&(String, MetricReport)], name: usize) -> Table {
    let names = means.iter().map(|(configuration, _)| shorten_name(configuration, name));
    let header = ["collection", "queries"].map(str::to_owned).into_iter().chain(names);
    let mut table = Table::headed(header).right(1..2 + means.len()).in_parts(2);
    for (place, one) in suite.collections.iter().enumerate() {
        let values = means.iter().map(|(_, mean)| mean.by_collection.get(place).copied());
        let values = values.map(|value| value.map_or_else(String::new, |value| fixed(value, DECIMALS)));
        let known = [shorten_name(&one.benchmark, name), one.queries.map_or_else(String::new, count)];
        table.row(known.into_iter().chain(values));
    }
    let all = suite.collections.iter().filter_map(|one| one.queries).sum();
    let first = ["mean".to_owned(), count(all)];
    table.row(first.into_iter().chain(means.iter().map(|(_, mean)| fixed(mean.value, DECIMALS))));
    let limits = means
        .iter()
        .map(|(_, mean)| mean.interval.map_or_else(|| "none".to_owned(), |l| interval(l, LIMITS)));
    let first = ["  interval".to_owned(), String::new()];
    table.row(first.into_iter().chain(limits));
    table
}

/// ` over 3 collections`; nothing of a benchmark.
pub(crate) fn over(collections: &[CollectionValue]) -> String {
    match collections.len() {
        0 => String::new(),
        many => format!(" over {}", counted(many, "collection", "collections")),
    }
}

/// What the numbers of a suite speak of.
pub(crate) fn speaks_of(report: &Report) -> Option<String> {
    report.suite.as_ref()?;
    Some("all collections count alike; it speaks of queries like these in these collections".to_owned())
}

/// A row for each collection: the difference, or the value of a single side.
pub(crate) fn by_collection(collections: &[CollectionValue]) -> Table {
    let mut table = Table::default().right([1]).rest(30, REMARK);
    for one in collections {
        let value = one.value.unwrap_or(f64::NAN);
        let (number, sides) = match one.baseline {
            Some(baseline) => (
                signed(value - baseline, DECIMALS),
                format!("{} to {}, ", fixed(baseline, DECIMALS), fixed(value, DECIMALS)),
            ),
            None => (fixed(value, DECIMALS), String::new()),
        };
        let remark = format!("{sides}{}", queries(one.queries.unwrap_or(0)));
        table.row([shorten_name(&one.benchmark, NAME), number, remark]);
    }
    table
}
