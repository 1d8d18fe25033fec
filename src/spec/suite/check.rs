//! A suite of which all keys are read, checked against its benchmarks.

use std::path::Path;

use super::keys::RawSuite;
use super::members::members;
use super::{SuiteMember, SuiteSpec};
use crate::content_hash::bytes_sha256;
use crate::error::Quoted;
use crate::gate::{Bound, Expectation, Statistics};
use crate::mapping::{Field, FromNode, OneOrMany, Reader, Spanned};
use crate::metric::Metric;
use crate::spec::check::{entry, unknown_version};
use crate::spec::gates::{Gates, with_entry_numbers};
use crate::spec::names::Names;
use crate::spec::raw::Entries;
use crate::spec::statistics::RawStatistics;
use crate::yaml::{Node, Problem, Span, Value, all_of};

/// The suite in a tree; `None` where something is wrong, which has been reported.
pub(super) fn check(path: &Path, root: &Node, reader: &mut Reader<'_>) -> Option<SuiteSpec> {
    if let Some(unknown_version) = unknown_version(root, reader) {
        reader.found = unknown_version;
        return None;
    }
    let mut raw = RawSuite::from_node(root, reader)?;
    let suite = raw.suite.value().map(|name| name.0.clone());
    let members = raw.benchmarks.field_value().and_then(|given| {
        let members = members(&given.value.0, suite.as_deref(), reader);
        if is_one(root) {
            let problem = Problem::new(given.at, "a suite takes two benchmarks or more");
            reader.report(problem.help("the gates on one collection are those of its own spec"));
        }
        members
    });
    let configurations = members.as_ref().map(|members| common(members));
    if configurations.as_ref().is_some_and(Vec::is_empty)
        && let Some(given) = raw.benchmarks.field_value()
    {
        let problem = Problem::new(given.at, "these benchmarks have no configuration in common");
        reader.report(problem.help("a configuration of a suite has the same name in all of them"));
    }
    let elsewhere = |name: &str| where_it_is(name, members.as_ref()?);
    let names = Names::new(configurations.as_deref()).or_elsewhere(&elsewhere);
    let (entries, everywhere) = entries(&mut raw, &names, members.as_deref().unwrap_or_default(), reader);
    let left_out = members.as_deref().filter(|_| everywhere).map(left_out).unwrap_or_default();
    let statistics = statistics(raw.statistics, reader);
    let coverage = raw.coverage.into_value().map(|share| share.0);
    of_rankings(&raw.metrics, reader);
    let mut metrics = raw.metrics.into_value().map(OneOrMany::into_values).unwrap_or_default();
    for metric in entries.metrics() {
        if !metrics.contains(metric) {
            metrics.push(metric.clone());
        }
    }
    let mut gates = Gates::new(reader);
    entries.expand(suite.as_deref().unwrap_or("suite"), &mut gates);
    let gates = gates.into_list();
    if gates.is_empty() && reader.found.is_empty() {
        let problem = Problem::new(root.span, "this suite has no gate: it could never fail");
        reader.report(problem.help("add an entry to `thresholds` or `comparisons`"));
    }
    raw.version.into_value()?;
    Some(SuiteSpec {
        path: path.to_owned(),
        sha256: bytes_sha256(reader.source.bytes()),
        suite: suite?,
        members: members?,
        configurations: configurations?,
        left_out,
        metrics,
        thresholds: entries.thresholds.into_iter().map(|placed| placed.value).collect(),
        comparisons: entries.comparisons.into_iter().map(|placed| placed.value).collect(),
        statistics: statistics?,
        coverage,
        gates,
    })
}

/// Whether one benchmark alone is named, be it there or not.
fn is_one(root: &Node) -> bool {
    entry(root, "benchmarks").is_some_and(|named| match &named.value.value {
        Value::List(items) => items.len() == 1,
        Value::Scalar(_) => true,
        Value::Map(_) | Value::Broken => false,
    })
}

/// The configurations that all members have.
fn common(members: &[SuiteMember]) -> Vec<String> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let names = first.spec.configurations.iter().map(|one| &one.name);
    let everywhere = |name: &&String| others.iter().all(|other| other.spec.configuration(name).is_some());
    names.filter(everywhere).cloned().collect()
}

/// The configurations that some members have and others lack, with those that lack them.
fn left_out(members: &[SuiteMember]) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for one in members.iter().flat_map(|member| &member.spec.configurations) {
        let lacks = |member: &&SuiteMember| member.spec.configuration(&one.name).is_none();
        let lacking: Vec<String> =
            members.iter().filter(lacks).map(|member| member.spec.benchmark.clone()).collect();
        if !lacking.is_empty() && all.iter().all(|(name, _)| *name != one.name) {
            all.push((one.name.clone(), lacking));
        }
    }
    all
}

/// What to say of a configuration that some members have.
fn where_it_is(name: &str, members: &[SuiteMember]) -> Option<String> {
    let (have, lack): (Vec<_>, Vec<_>) =
        members.iter().partition(|member| member.spec.configuration(name).is_some());
    let names = |of: &[&SuiteMember]| all_of(of.iter().map(|member| member.spec.benchmark.as_str()));
    (!have.is_empty() && !lack.is_empty()).then(|| {
        let (name, have, lack) = (Quoted(name), names(&have), names(&lack));
        format!(
            "{name} is a configuration of {have} and not of {lack}: a suite never takes a mean over fewer"
        )
    })
}

/// The entries that ask for gates, as far as they are sound, and whether a threshold holds all configurations.
fn entries(
    raw: &mut RawSuite,
    names: &Names<'_>,
    members: &[SuiteMember],
    reader: &mut Reader<'_>,
) -> (Entries, bool) {
    let mut everywhere = false;
    let not_here = |key: Option<Span>, what: &str, reader: &mut Reader<'_>| {
        if let Some(at) = key {
            let problem = Problem::new(at, format!("{what} is not for suites"));
            reader.report(problem.help("the benchmarks' own specs take it"));
        }
    };
    let thresholds = raw.thresholds.sound_items(reader, |raw, _, reader| {
        everywhere |= raw.configurations.field_value().is_none();
        not_here(raw.segment.field_value().map(|given| given.key), "`segment`", reader);
        let every_query = raw.bound.field_value().filter(|given| given.value == Bound::EveryQuery);
        not_here(every_query.map(|given| given.at), "`bound: every-query`", reader);
        of_rankings(&raw.metrics, reader);
        deep_enough(&raw.metrics, members, reader);
        if let Some(scores) = raw.scores.field_value() {
            not_here(Some(scores.key), "a column of scores", reader);
            return None;
        }
        raw.check(names, reader)
    });
    let comparisons = raw.comparisons.sound_items(reader, |raw, at, reader| {
        not_here(raw.segment.field_value().map(|given| given.key), "`segment`", reader);
        of_rankings(&raw.metrics, reader);
        deep_enough(&raw.metrics, members, reader);
        if let Some(scores) = raw.scores.field_value() {
            not_here(Some(scores.key), "a column of scores", reader);
            return None;
        }
        let expect = raw.expect.field_value().map(|given| given.at);
        let checked = raw.check(at, names, reader)?;
        for one in &checked {
            match one.expect {
                Expectation::Scores(_) => {}
                Expectation::Identical | Expectation::Overlap { .. } => {
                    not_here(expect.or(Some(at)), &format!("`expect: {}`", one.expect), reader);
                    return None;
                }
            }
        }
        Some(checked)
    });
    (Entries { thresholds, comparisons: with_entry_numbers(comparisons), ..Entries::default() }, everywhere)
}

/// Reports a metric of which less is better: each collection has unanswerable queries of its own.
fn of_rankings(metrics: &Field<OneOrMany<Metric>>, reader: &mut Reader<'_>) {
    for Spanned { at, value } in metrics.value().iter().flat_map(|metrics| &metrics.0) {
        if value.is_best_low() {
            let problem = Problem::new(*at, format!("{value} goes with the queries of one collection"));
            reader.report(problem.help("a gate on it stands in a benchmark's own spec"));
        }
    }
}

/// Reports a metric that looks deeper than a benchmark asks.
fn deep_enough(metrics: &Field<OneOrMany<Metric>>, members: &[SuiteMember], reader: &mut Reader<'_>) {
    for Spanned { at, value } in metrics.value().iter().flat_map(|metrics| &metrics.0) {
        let Some(cutoff) = value.cutoff() else { continue };
        if let Some(shallow) = members.iter().find(|member| member.spec.depth < cutoff) {
            let (name, depth) = (&shallow.spec.benchmark, shallow.spec.depth);
            let problem =
                Problem::new(*at, format!("{value} looks deeper than {name} asks, which is {depth}"));
            reader.report(
                problem.help(format!("add {value} to the `metrics` of {name}, or `depth: {cutoff}`")),
            );
        }
    }
}

fn statistics(raw: Field<RawStatistics>, reader: &mut Reader<'_>) -> Option<Statistics> {
    let raw = match raw {
        Field::Absent => return Some(Statistics::default()),
        Field::Broken => return None,
        Field::Given(given) => given.value,
    };
    if let Some(cluster) = raw.group_by.field_value() {
        let problem = Problem::new(cluster.key, "`group-by` is not for suites");
        reader.report(problem.help("each benchmark's own `statistics.group-by` is kept"));
    }
    Some(raw.check())
}
