//! Suites: several benchmarks with one verdict on all of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::check::{entry, unknown_version};
use super::evidence::RawEvidence;
use super::gates::{GateBudget, Gates, with_entry_numbers};
use super::names::Names;
use super::other_file;
use super::raw::{Entries, Version, titled, without};
use super::scalar::{Name, read_words};
use super::statistics::RawStatistics;
use super::template::InputFile;
use super::{Registry, Spec};
use crate::Result;
use crate::content_hash::bytes_sha256;
use crate::error::Quoted;
use crate::gate::{Baseline, Bound, Comparison, Evidence, Expectation, Gate, Statistics, Threshold, Weights};
use crate::gates::Entries as GateEntries;
use crate::gates::comparison::keys::RawComparison;
use crate::gates::threshold::keys::RawThreshold;
use crate::mapping::{Field, FromNode, List, OneOrMany, Reader, Rule, Spanned, mapping};
use crate::metric::Metric;
use crate::yaml::{Node, Problem, Problems, Source, Span, Value, all_of, parse};

read_words!(Weights);

mapping! {
    /// Several benchmarks with one verdict on all of them: what must hold on average over their collections, and in
    /// each.
    pub(super) struct RawSuite as "a suite" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The suite's name, unique among the suites and benchmarks that are run together. Test names start with it.
        "suite" => suite: Name,
        /// What it is about, for readers of reports.
        "description" => description: String,
        /// The files of its benchmarks, two or more, each carried out as it is, its own gates included.
        "benchmarks" => benchmarks: OneOrMany<InputFile>,
        /// How much each collection counts: all alike (`equal`, default), each by its number of queries (`queries`), or as
        /// given by name, such as `{helpdesk: 2, blog: 1}`.
        "weights" => weights: RawWeights,
        /// Benchmarks that count as one: they are averaged first, such as `{forums: [android, gaming]}`.
        "groups" => groups: RawGroups,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Limits on the weighted mean over collections.
        "thresholds" => thresholds: List<RawThreshold>,
        /// Candidates held against baselines over all collections.
        "comparisons" => comparisons: List<RawComparison>,
        /// How the suite's comparisons are decided, whatever its benchmarks say of their own.
        "statistics" => statistics: RawStatistics,
        /// How much of what gates rest on has to be there in each collection; by default what its benchmark says.
        "evidence" => evidence: RawEvidence,
    }
    rules: [
        Rule::Required("version"),
        Rule::Required("suite"),
        Rule::Required("benchmarks"),
        Rule::AtLeastOne(&["thresholds", "comparisons"]),
    ]
}

/// Keys of entries that are about one collection.
const OF_ONE_THRESHOLD: &[&str] = &["segment", "judged", "inconclusive", "every-query"];
const OF_ONE_COMPARISON: &[&str] = &["segment", "pairs", "cutoff", "min", "judged"];
const OF_ONE_STATISTICS: &[&str] = &["cluster"];
const OF_ONE_EVIDENCE: &[&str] = &["queries"];

/// Weights by name, or a word for them.
pub(super) enum RawWeights {
    Word(Weights),
    Given(Vec<(Spanned<String>, f64)>),
}

impl FromNode for RawWeights {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            let word: Weights = reader.read(node)?;
            if word == Weights::Given {
                let problem = Problem::new(node.span, "the weights are not here");
                reader.report(problem.help("write them by name, such as `{helpdesk: 2, blog: 1}`"));
                return None;
            }
            return Some(Self::Word(word));
        };
        let mut given = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let weight = reader.number(&entry.value, "a weight, which is a number above 0")?;
            if !(weight > 0.0 && weight <= 1e6) {
                let message = format!("a weight is above 0 and at most 1000000, not {weight}");
                return reader.refuse(entry.value.span, message);
            }
            given.push((Spanned { at: entry.key.span, value: entry.key.text.to_string() }, weight));
        }
        Some(Self::Given(given))
    }

    #[inline]
    fn schema() -> Json {
        let number = json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000});
        json!({"anyOf": [
            {"enum": [Weights::Equal.as_str(), Weights::Queries.as_str()]},
            {"type": "object", "minProperties": 1, "additionalProperties": number},
        ]})
    }
}

/// Names of groups, each with the names of its benchmarks.
pub(super) struct RawGroups(Vec<(Spanned<Name>, OneOrMany<Name>)>);

impl FromNode for RawGroups {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader
                .expected(node, "groups of benchmarks by name, such as `{forums: [android, gaming]}`");
        };
        let mut groups = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let name = Name::check(&entry.key.text, entry.key.span, reader)?;
            groups.push((Spanned { at: entry.key.span, value: name }, reader.read(&entry.value)?));
        }
        Some(Self(groups))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "object", "minProperties": 1, "additionalProperties": OneOrMany::<Name>::schema()})
    }
}

/// A benchmark of a suite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuiteMember {
    /// Its file.
    pub path: PathBuf,
    /// The checked spec.
    pub spec: Spec,
    /// The group it is averaged in first, if it is in one.
    pub group: Option<String>,
    /// The weight that was given, its own or its group's; 1 where none was.
    pub weight: f64,
}

/// A suite as its YAML file describes it, checked: its benchmarks can be read, and what it names is in all of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuiteSpec {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of the file's bytes.
    pub sha256: String,
    /// The suite's name.
    pub suite: String,
    /// What it is about.
    pub description: Option<String>,
    /// Its benchmarks in the order of the file, two or more, all of different names.
    pub members: Vec<SuiteMember>,
    /// How much each of them counts.
    pub weights: Weights,
    /// The configurations that all of them have, in the order of the first.
    pub configurations: Vec<String>,
    /// The configurations that no threshold without `for` holds, since some benchmarks lack them: each with those
    /// benchmarks. Empty where every threshold has a `for`.
    pub left_out: Vec<(String, Vec<String>)>,
    /// What is reported: the metrics of the suite, then those that only gates name. All different.
    pub metrics: Vec<Metric>,
    /// Limits on weighted means.
    pub thresholds: Vec<Threshold>,
    /// Candidates held against baselines; what they expect is about scores.
    pub comparisons: Vec<Comparison>,
    /// How they are decided.
    pub statistics: Statistics,
    /// How much of what gates rest on has to be there in each collection, where they do not say so themselves.
    pub evidence: Evidence,
    /// Every test, in the order of the file: thresholds, then comparisons. All names different.
    pub gates: Vec<Gate>,
}

impl SuiteSpec {
    /// The entries that gates are of.
    pub(crate) fn entries(&self) -> GateEntries<'_> {
        GateEntries { thresholds: &self.thresholds, comparisons: &self.comparisons }
    }

    /// Whether a file is meant to be a suite: it has the key `suite` and no key `benchmark`.
    #[must_use]
    pub fn is_in(path: impl AsRef<Path>) -> bool {
        let root = Source::read(path.as_ref()).ok().and_then(|source| parse(&source).root);
        root.is_some_and(|root| entry(&root, "suite").is_some() && entry(&root, "benchmark").is_none())
    }

    /// Reads and checks a file and those of its benchmarks, which need no gate of their own.
    ///
    /// # Errors
    /// A file that cannot be read; everything that is wrong with the suite, as
    /// [`Error::yaml_problems`](crate::Error::yaml_problems), a benchmark with an error in it among that.
    pub fn load(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let path = path.as_ref();
        let source = Source::read(path)?;
        let parsed = parse(&source);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut reader = Reader { registry, folder, source: &source, found: parsed.problems };
        let suite = parsed.root.and_then(|root| check(path, &root, &mut reader));
        match suite {
            Some(suite) if reader.found.is_empty() => Ok(suite),
            _ => Err(Problems::new(Arc::clone(&source), reader.found).into()),
        }
    }

    /// Each member's share of the mean, from the numbers of queries that they have: all together are 1.
    ///
    /// ```
    /// use rankgate::gate::Weights;
    /// use rankgate::spec::SuiteSpec;
    ///
    /// let forums = Some("forums");
    /// let members = [(None, 1.0), (forums, 1.0), (forums, 1.0)];
    /// let shares = |weights| SuiteSpec::shares_of(weights, &members, &[50, 30, 20]);
    /// assert_eq!(shares(Weights::Equal), [0.5, 0.25, 0.25]);
    /// assert_eq!(shares(Weights::Queries), [0.5, 0.3, 0.2]);
    /// ```
    #[must_use]
    pub fn shares_of(weights: Weights, members: &[(Option<&str>, f64)], queries: &[usize]) -> Vec<f64> {
        let own = |((group, weight), &queries): (&(Option<&str>, f64), &usize)| match (weights, group) {
            (Weights::Queries, _) => queries as f64,
            (Weights::Equal | Weights::Given, None) => *weight,
            (Weights::Equal | Weights::Given, Some(group)) => {
                weight / members.iter().filter(|(other, _)| *other == Some(group)).count() as f64
            }
        };
        let own: Vec<f64> = members.iter().zip(queries).map(own).collect();
        let all: f64 = own.iter().sum();
        own.iter().map(|one| one / all).collect()
    }

    /// The same of this suite's members.
    #[must_use]
    pub fn shares(&self, queries: &[usize]) -> Vec<f64> {
        let members: Vec<_> = self.members.iter().map(|one| (one.group.as_deref(), one.weight)).collect();
        Self::shares_of(self.weights, &members, queries)
    }
}

/// The JSON Schema (draft 2020-12) of a suite, as [`json_schema`](super::json_schema) is that of a benchmark's spec.
#[must_use]
#[inline]
pub fn suite_schema() -> Json {
    let mut schema = titled(RawSuite::schema(), "rankgate suite", "suite");
    without(&mut schema, "/properties/thresholds/items/properties", OF_ONE_THRESHOLD);
    without(&mut schema, "/properties/comparisons/items/properties", OF_ONE_COMPARISON);
    without(&mut schema, "/properties/statistics/properties", OF_ONE_STATISTICS);
    for place in ["", "/properties/thresholds/items", "/properties/comparisons/items"] {
        without(&mut schema, &format!("{place}/properties/evidence/properties"), OF_ONE_EVIDENCE);
    }
    schema
}

/// The suite in a tree; `None` where something is wrong, which has been reported.
fn check(path: &Path, root: &Node, reader: &mut Reader<'_>) -> Option<SuiteSpec> {
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
    let (weights, members) = match members {
        Some(members) => (weigh(&raw, members, reader)).map(|(weights, members)| (weights, Some(members)))?,
        None => (Weights::default(), None),
    };
    let configurations = members.as_ref().map(|members| common(members));
    if configurations.as_ref().is_some_and(Vec::is_empty)
        && let Some(given) = raw.benchmarks.field_value()
    {
        let problem = Problem::new(given.at, "these benchmarks have no configuration in common");
        reader.report(problem.help("a configuration of a suite has the same name in all of them"));
    }
    let elsewhere = |name: &str| where_it_is(name, members.as_ref()?);
    let names = Names::new(configurations.as_deref(), Some(&[])).or_elsewhere(&elsewhere);
    let (entries, everywhere) = entries(&mut raw, &names, members.as_deref().unwrap_or_default(), reader);
    let left_out = members.as_deref().filter(|_| everywhere).map(left_out).unwrap_or_default();
    let statistics = statistics(raw.statistics, reader);
    no_queries(&raw.evidence, reader);
    let evidence = raw.evidence.into_value().map(RawEvidence::checked).unwrap_or_default();
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
        description: raw.description.into_value(),
        members: members?,
        weights,
        configurations: configurations?,
        left_out,
        metrics,
        thresholds: entries.thresholds.into_iter().map(|placed| placed.value).collect(),
        comparisons: entries.comparisons.into_iter().map(|placed| placed.value).collect(),
        statistics: statistics?,
        evidence,
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

/// The benchmarks, each read and checked; `None` where one of them is wrong.
fn members(
    given: &[Spanned<InputFile>],
    suite: Option<&str>,
    reader: &mut Reader<'_>,
) -> Option<Vec<SuiteMember>> {
    let mut registry = reader.registry.clone();
    registry.without_gates();
    let mut places: HashMap<String, Span> = HashMap::new();
    let mut members = Vec::with_capacity(given.len());
    let mut sound = true;
    for Spanned { at, value } in given {
        let path = match value.0.resolve() {
            Ok(path) => path,
            Err(error) => {
                reader.report(Problem::new(*at, error.to_string()));
                sound = false;
                continue;
            }
        };
        let read = match SuiteSpec::is_in(&path) {
            true => Err("is a suite itself; a suite is made of benchmarks".to_owned()),
            false => Spec::load(&path, &registry).map_err(|error| other_file::fault(&error)),
        };
        let spec = match read {
            Ok(spec) => spec,
            Err(why) => {
                reader.report(Problem::new(*at, format!("{} {why}", Quoted(&value.to_string()))));
                sound = false;
                continue;
            }
        };
        if suite == Some(spec.benchmark.as_str()) {
            let message = format!("the suite and this benchmark are both called {}", Quoted(&spec.benchmark));
            reader.report(Problem::new(*at, message).help("tests and reports are told apart by these names"));
        }
        if let Some(first) = places.insert(spec.benchmark.clone(), *at) {
            let problem = Problem::new(*at, format!("two benchmarks are called {}", Quoted(&spec.benchmark)));
            reader.report(problem.related(first, "the first"));
        }
        members.push(SuiteMember { path, spec, group: None, weight: 1.0 });
    }
    sound.then_some(members)
}

/// Groups and weights, put to the members.
fn weigh(
    raw: &RawSuite,
    mut members: Vec<SuiteMember>,
    reader: &mut Reader<'_>,
) -> Option<(Weights, Vec<SuiteMember>)> {
    let mut grouped: HashMap<String, Span> = HashMap::new();
    for (group, names) in raw.groups.value().iter().flat_map(|groups| &groups.0) {
        if members.iter().any(|member| member.spec.benchmark == group.value.0) {
            let message = format!("the group and a benchmark are both called {}", Quoted(&group.value.0));
            return reader.refuse(group.at, message);
        }
        for Spanned { at, value } in &names.0 {
            if let Some(first) = grouped.insert(value.0.clone(), *at) {
                let problem = Problem::new(*at, format!("{} is in a group already", Quoted(&value.0)));
                reader.report(problem.related(first, "there"));
                return None;
            }
            match members.iter().position(|member| member.spec.benchmark == value.0) {
                Some(place) => members[place].group = Some(group.value.0.clone()),
                None => return unknown(&value.0, *at, &names_of(&members, false), reader),
            }
        }
    }
    let weights = match &raw.weights {
        Field::Absent => Weights::default(),
        Field::Broken => return None,
        Field::Given(given) => match &given.value {
            RawWeights::Word(word) => *word,
            RawWeights::Given(by_name) => {
                give(by_name, &mut members, given.at, reader)?;
                Weights::Given
            }
        },
    };
    if let (Weights::Queries, Some(groups)) = (weights, raw.groups.field_value()) {
        let problem = Problem::new(groups.key, "`groups` does not go with `weights: queries`");
        reader.report(problem.help("where every query counts alike, groups change nothing"));
    }
    Some((weights, members))
}

/// Weights by name: one for each group, and for each benchmark that is in none.
fn give(
    by_name: &[(Spanned<String>, f64)],
    members: &mut [SuiteMember],
    at: Span,
    reader: &mut Reader<'_>,
) -> Option<()> {
    let names = names_of(members, true);
    for (name, weight) in by_name {
        if let Some(group) =
            members.iter().find(|one| one.spec.benchmark == name.value).and_then(|one| one.group.clone())
        {
            let message = format!("{} is weighed in its group {}", Quoted(&name.value), Quoted(&group));
            return reader.refuse(name.at, message);
        }
        if !names.contains(&name.value) {
            return unknown(&name.value, name.at, &names, reader);
        }
        for member in members.iter_mut() {
            if member.group.as_ref().unwrap_or(&member.spec.benchmark) == &name.value {
                member.weight = *weight;
            }
        }
    }
    let missing: Vec<&str> = names
        .iter()
        .filter(|name| !by_name.iter().any(|(given, _)| given.value == **name))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        return reader.refuse(at, format!("there is no weight for {}", all_of(missing)));
    }
    Some(())
}

/// The names of benchmarks; with groups, those of groups in place of their benchmarks'.
fn names_of(members: &[SuiteMember], groups: bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for member in members {
        let name = member.group.as_ref().filter(|_| groups).unwrap_or(&member.spec.benchmark);
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn unknown<T>(name: &str, at: Span, known: &[String], reader: &mut Reader<'_>) -> Option<T> {
    let problem = Problem::new(at, format!("no benchmark of this suite is called {}", Quoted(name)));
    let all = || known.iter().map(String::as_str);
    let problem = reader.suggest(problem, name, all());
    reader.report(problem.unwrap_or_else(|problem| problem.help(format!("there are {}", all_of(all())))));
    None
}

/// The configurations that all members have.
fn common(members: &[SuiteMember]) -> Vec<String> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let names = first.spec.configurations.iter().map(|one| &one.name);
    let everywhere = |name: &&String| others.iter().all(|other| other.spec.configuration(name).is_some());
    names.filter(everywhere).cloned().collect()
}

/// The configurations that some members have and others lack, with those that lack them. Under a variant only those
/// are held that somebody names.
fn left_out(members: &[SuiteMember]) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for one in members.iter().flat_map(|member| &member.spec.configurations) {
        let lacks = |member: &&SuiteMember| member.spec.configuration(&one.name).is_none();
        let lacking: Vec<String> =
            members.iter().filter(lacks).map(|member| member.spec.benchmark.clone()).collect();
        if !one.is_derived() && !lacking.is_empty() && all.iter().all(|(name, _)| *name != one.name) {
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
    if have.is_empty() && name.contains('@') {
        return Some(format!(
            "{} is asked in none of these benchmarks: name it in a gate of each",
            Quoted(name)
        ));
    }
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
    let mut left = GateBudget::default();
    let not_here = |key: Option<Span>, what: &str, reader: &mut Reader<'_>| {
        if let Some(at) = key {
            let problem = Problem::new(at, format!("{what} is not for suites"));
            reader.report(problem.help("the benchmarks' own specs take it"));
        }
    };
    let thresholds = raw.thresholds.sound_items(reader, |raw, at, reader| {
        left.spend(raw.gates(names), at, reader)?;
        everywhere |= raw.configurations.field_value().is_none();
        not_here(raw.segment.field_value().map(|given| given.key), "`segment`", reader);
        not_here(raw.judged.field_value().map(|given| given.key), "`judged`", reader);
        let every_query = raw.bound.field_value().filter(|given| given.value == Bound::EveryQuery);
        let every_query =
            raw.every_query.field_value().map(|given| given.key).or(every_query.map(|one| one.at));
        not_here(every_query, "`every-query`", reader);
        no_queries(&raw.evidence, reader);
        of_rankings(&raw.metrics, reader);
        deep_enough(&raw.metrics, members, reader);
        raw.check(names, reader)
    });
    let comparisons = raw.comparisons.sound_items(reader, |raw, at, reader| {
        left.spend(raw.gates(), at, reader)?;
        not_here(raw.segment.field_value().map(|given| given.key), "`segment`", reader);
        not_here(raw.pairs.field_value().map(|given| given.key), "`pairs`", reader);
        not_here(raw.judged.field_value().map(|given| given.key), "`judged`", reader);
        no_queries(&raw.evidence, reader);
        of_rankings(&raw.metrics, reader);
        deep_enough(&raw.metrics, members, reader);
        let (expect, baseline) =
            (raw.expect.field_value().map(|given| given.at), raw.baseline.field_value().map(|one| one.at));
        let harm_at_most = raw.harm_at_most(reader)?;
        let mut checked = raw.check(at, names, reader)?;
        for one in &mut checked {
            one.harm_at_most = harm_at_most;
            match one.expect {
                Expectation::Scores(_) => {}
                Expectation::Identical | Expectation::Overlap { .. } => {
                    not_here(expect.or(Some(at)), &format!("`expect: {}`", one.expect), reader);
                    return None;
                }
            }
            if let Baseline::Anchor(tag) = &one.baseline {
                not_here(baseline, &format!("`golden@{tag}`"), reader);
                return None;
            }
        }
        Some(checked)
    });
    (Entries { thresholds, comparisons: with_entry_numbers(comparisons), ..Entries::default() }, everywhere)
}

/// Reports a metric of answers: who corrects a judge does so in one collection. And one of which less is better: each
/// collection has a floor of its own.
fn of_rankings(metrics: &Field<OneOrMany<Metric>>, reader: &mut Reader<'_>) {
    for Spanned { at, value } in metrics.value().iter().flat_map(|metrics| &metrics.0) {
        if value.is_of_answers() {
            let problem =
                Problem::new(*at, format!("{value} is of answers, and a suite is of rankings alone"));
            reader.report(problem.help("a gate on it stands in a benchmark's own spec, beside `judged`"));
        }
        if value.is_best_low() {
            let of_results = value.is_of_silence() && !value.requirements().refusals;
            let with =
                if of_results { "the floor of one collection" } else { "the answers to one collection" };
            let problem = Problem::new(*at, format!("{value} goes with {with}"));
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

/// Reports a number of queries: each collection has its own.
fn no_queries(evidence: &Field<RawEvidence>, reader: &mut Reader<'_>) {
    if let Some(at) = evidence.value().and_then(RawEvidence::place_of_queries) {
        let problem = Problem::new(at, "`queries` is not for suites");
        reader.report(problem.help("each benchmark's own `evidence.queries` is kept"));
    }
}

fn statistics(raw: Field<RawStatistics>, reader: &mut Reader<'_>) -> Option<Statistics> {
    let raw = match raw {
        Field::Absent => return Some(Statistics::default()),
        Field::Broken => return None,
        Field::Given(given) => given.value,
    };
    if let Some(cluster) = raw.cluster.field_value() {
        let problem = Problem::new(cluster.key, "`cluster` is not for suites");
        reader.report(problem.help("each benchmark's own `statistics.cluster` is kept"));
    }
    Some(raw.check(reader))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "
version: 1
benchmark: NAME
collection:
  inline:
    queries:
      - {id: q1, text: alpha, relevant: [d1]}
configurations:
  old: {retriever: old}
  new: {retriever: new}
metrics: [nDCG@10]
";

    fn load(suite: &str) -> Result<SuiteSpec> {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "two", "three"] {
            let text = ONE.replace("NAME", name);
            let text = if name == "three" { text.replace("  new: {retriever: new}\n", "") } else { text };
            std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
        }
        std::fs::write(folder.path().join("broken.yaml"), ONE.replace("NAME", "broken") + "dept: 5\n")
            .unwrap();
        let path = folder.path().join("suite.yaml");
        std::fs::write(&path, format!("version: 1\nsuite: all\n{suite}")).unwrap();
        assert!(SuiteSpec::is_in(&path) && !SuiteSpec::is_in(folder.path().join("one.yaml")));
        let mut registry = Registry::new();
        registry.retriever("old").retriever("new");
        SuiteSpec::load(&path, &registry)
    }

    #[test]
    fn a_suite_has_gates_over_its_benchmarks() {
        let suite = load(
            "benchmarks: [one.yaml, two.yaml]
weights: {one: 2, both: 1}
groups: {both: [two]}
thresholds:
  - {metric: nDCG@10, min: 0.5, for: [new]}
comparisons:
  - {candidate: new, baseline: old, metrics: [nDCG@10, RR@5], expect: improvement, harm-at-most: 0.03}
  - {candidate: new, baseline: golden, metrics: [nDCG@10]}
",
        )
        .unwrap();
        let names: Vec<&str> = suite.gates.iter().map(|gate| gate.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "all::new::nDCG@10",
                "all::new-vs-old::nDCG@10",
                "all::new-vs-old::RR@5",
                "all::new-vs-golden::nDCG@10"
            ]
        );
        assert_eq!(suite.gates[1].line, 9);
        assert_eq!(suite.comparisons[0].harm_at_most, Some(0.03));
        assert_eq!(suite.comparisons[1].harm_at_most, None);
        assert_eq!(suite.shares(&[10, 30]), [2.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(suite.members[1].group.as_deref(), Some("both"));
    }

    #[test]
    fn what_is_wrong_with_a_suite_is_said_at_its_place() {
        let mut wrong = Vec::new();
        let gate = "thresholds: [{metric: nDCG@10, min: 0.5}]\n";
        let two = "benchmarks: [one.yaml, two.yaml]\n";
        let compared = |entry: &str| {
            format!("{two}comparisons: [{{candidate: new, baseline: old, metric: RR@5, {entry}}}]\n")
        };
        for (text, place, said) in [
            (format!("benchmarks: [one.yaml]\n{gate}"), "3:13", "a suite takes two benchmarks or more"),
            (format!("benchmarks: [one.yaml, six.yaml]\n{gate}"), "3:24", "no such file"),
            (format!("benchmarks: [one.yaml, ./one.yaml]\n{gate}"), "3:24", "two benchmarks are called `one`"),
            (
                format!("benchmarks: [one.yaml, broken.yaml]\n{gate}"),
                "3:24",
                "`broken.yaml` has an error in line 12: unknown key `dept` in a spec",
            ),
            (format!("benchmarks: [one.yaml, suite.yaml]\n{gate}"), "3:24", "is a suite itself"),
            (
                "benchmarks: [one.yaml, three.yaml]\ncomparisons: [{candidate: new, baseline: old, metric: RR@5}]\n"
                    .to_owned(),
                "4:27",
                "`new` is a configuration of `one` and not of `three`",
            ),
            (format!("{two}weights: {{one: 1}}\n{gate}"), "4:10", "there is no weight for `two`"),
            (format!("{two}weights: {{one: 1, tow: 1}}\n{gate}"), "4:19", "did you mean `two`?"),
            (format!("{two}weights: {{one: 0, two: 1}}\n{gate}"), "4:16", "a weight is above 0"),
            (format!("{two}weights: given\n{gate}"), "4:10", "the weights are not here"),
            (format!("{two}groups: {{g: [one], h: [one]}}\n{gate}"), "4:24", "is in a group already"),
            (format!("{two}groups: {{one: [two]}}\n{gate}"), "4:10", "both called `one`"),
            (format!("{two}weights: queries\ngroups: {{g: [one, two]}}\n{gate}"), "5:1", "does not go with"),
            (format!("{two}thresholds: [{{metric: R@50, min: 0.5}}]\n"), "4:23", "R@50 looks deeper than one asks, which is 10"),
            (format!("{two}thresholds: [{{metric: Faithfulness, min: 0.5}}]\n"), "4:23", "Faithfulness is of answers, and a suite is of rankings alone"),
            (format!("{two}metrics: [RR, NuggetRecall@5]\n{gate}"), "4:15", "NuggetRecall@5 is of answers, and a suite is of rankings alone"),
            (format!("{two}metrics: [RR, FalseAnswer]\n{gate}"), "4:15", "FalseAnswer goes with the floor of one collection"),
            (format!("{two}comparisons: [{{candidate: new, baseline: old, metrics: [AnswerRelevance]}}]\n"), "4:57", "AnswerRelevance is of answers, and a suite is of rankings alone"),
            (
                format!("{two}thresholds: [{{metric: RR@5, min: 0.5, segment: {{a: b}}}}]\n"),
                "4:39",
                "`segment` is not for suites",
            ),
            (compared("expect: identical"), "4:", "`identical`"),
            (compared("harm-at-most: 0"), "4:", "a margin is more than 0"),
            (compared("harm-at-most: 2"), "4:", "no two values of RR@5 differ by more than 2"),
            (format!("{two}{gate}statistics: {{cluster: user}}\n"), "5:14", "`cluster` is not for suites"),
            (two.to_owned(), "1:1", "needs `thresholds` or `comparisons`"),
            (format!("{two}thresholds: []\n"), "1:1", "has no gate"),
        ] {
            let error = match load(&text) {
                Ok(_) => panic!("{text}"),
                Err(error) => error.to_string(),
            };
            let too_few = error.contains("two benchmarks or more") && !said.contains("two benchmarks or more");
            if too_few || !(error.contains(&format!("suite.yaml:{place}")) && error.contains(said)) {
                wrong.push(format!("{text}\n{error}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_benchmark_takes_no_key_of_suites() {
        let registry = Registry::new();
        let text =
            ONE.replace("{retriever: old}", "{run: x.run}").replace("{retriever: new}", "{run: x.run}");
        let text = format!(
            "{text}comparisons: [{{candidate: new, baseline: old, metric: RR@5, harm-at-most: 0.1}}]\n"
        );
        let error = Spec::parse(Path::new("one.yaml"), &text, &registry).unwrap_err().to_string();
        assert!(error.contains("`harm-at-most` is for suites of several collections"), "{error}");
        let error =
            Spec::parse(Path::new("s.yaml"), "version: 1\nsuite: x\n", &registry).unwrap_err().to_string();
        assert!(error.contains("this is a suite, and a benchmark is needed here"), "{error}");
    }
}
