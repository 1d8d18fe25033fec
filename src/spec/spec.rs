//! A checked spec.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::collection::CollectionPlan;
use super::configuration::Configuration;
use super::gates::Placed;
use super::mapping::Field;
use super::raw::RawSpec;
use super::read::{At, FromNode, List, Reader};
use super::template::PathTemplate;
use super::{Registry, gates};
use crate::Result;
use crate::gate::{Comparison, Expectation, Gate, Statistics, Threshold};
use crate::metric::Metric;
use crate::yaml::{Found, Node, Problem, Problems, Source, Span, parse};

/// A benchmark as its YAML file describes it, checked: what it names exists, what it limits can be.
///
/// What can only be known with the collection (whether any query is in a segment) or the
/// environment (the values of variables) is found when it is needed.
///
/// ```
/// use rankgate::spec::{Registry, Spec};
///
/// let text = "
/// version: 1
/// benchmark: helpdesk
/// collection:
///   inline:
///     queries:
///       - {id: q1, text: alpha, relevant: [d1]}
/// configurations:
///   mine: {retriever: mine}
/// thresholds:
///   - {metric: nDCG@10, min: 0.60}
/// ";
/// let mut registry = Registry::new();
/// registry.retriever("mine");
/// let spec = Spec::parse("benchmarks/helpdesk.yaml".as_ref(), text, &registry)?;
/// assert_eq!(spec.gates[0].name, "helpdesk::mine::nDCG@10");
/// assert_eq!(spec.depth, 10);
///
/// let error = Spec::parse("x.yaml".as_ref(), &text.replace("nDCG", "nDGC"), &registry).unwrap_err();
/// assert_eq!(error.to_string(), "\
/// unknown metric `nDGC@10`
///   --> x.yaml:11:14
///    |
/// 11 |   - {metric: nDGC@10, min: 0.60}
///    |              ^^^^^^^
///    |
///    = help: did you mean `nDCG@10`?");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Spec {
    /// The file.
    pub path: PathBuf,
    /// The benchmark's name.
    pub benchmark: String,
    /// What it is about.
    pub description: Option<String>,
    /// What is searched and judged.
    pub collection: CollectionPlan,
    /// Results asked for per query; no cutoff is deeper.
    pub depth: usize,
    /// What is measured, in the order of the file; at least one.
    pub configurations: Vec<Configuration>,
    /// What is reported: the metrics of the spec, then those that only gates name. All different.
    pub metrics: Vec<Metric>,
    /// Metadata keys to break reports down by.
    pub segments: Vec<String>,
    /// Limits on metrics.
    pub thresholds: Vec<Threshold>,
    /// Candidates held against baselines.
    pub comparisons: Vec<Comparison>,
    /// How comparisons are decided.
    pub statistics: Statistics,
    /// The folder of golden files, where the spec names one; see [`golden_folder`](Self::golden_folder).
    pub golden: Option<PathTemplate>,
    /// Leave out queries without a relevant document.
    pub skip_unjudgeable: bool,
    /// Hold metric reports against what was blessed.
    pub snapshot: bool,
    /// Ask live configurations twice.
    pub deterministic: bool,
    /// Every test, in the order of the file: thresholds, comparisons, snapshots, determinism. At least
    /// one, all names different.
    pub gates: Vec<Gate>,
}

impl Spec {
    /// Reads and checks a file. Neither collection nor runs are read.
    ///
    /// # Errors
    /// A file that cannot be read, is larger than 10 MB or not UTF-8; everything that is wrong with
    /// the spec, as [`ErrorKind::Problems`](crate::ErrorKind::Problems).
    pub fn load(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let path = path.as_ref();
        Self::from_source(path, &Source::read(path)?, registry)
    }

    /// Checks the text of a spec as if it stood in the file `path`: paths in it are relative to that
    /// file's folder.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(path: &Path, text: &str, registry: &Registry) -> Result<Self> {
        Self::from_source(path, &Source::new(path.display().to_string(), text)?, registry)
    }

    fn from_source(path: &Path, source: &Arc<Source>, registry: &Registry) -> Result<Self> {
        let parsed = parse(source);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut reader = Reader { registry, folder, source, found: parsed.problems };
        let spec = parsed.root.and_then(|root| check(path, &root, &mut reader));
        match spec {
            Some(spec) if reader.found.is_empty() => Ok(spec),
            _ => Err(Problems::new(Arc::clone(source), reader.found).into()),
        }
    }

    /// The configuration of this name.
    #[must_use]
    pub fn configuration(&self, name: &str) -> Option<&Configuration> {
        self.configurations.iter().find(|configuration| configuration.name == name)
    }

    /// The folder of golden files: the one that the spec names, else `golden` beside the nearest
    /// `Cargo.toml` above the spec, else `golden` beside the spec.
    ///
    /// # Errors
    /// A variable in the path that is not set.
    pub fn golden_folder(&self) -> Result<PathBuf> {
        if let Some(golden) = &self.golden {
            return golden.resolve();
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        // `benchmarks/x.yaml` is below `.`, whose name `ancestors` gives as the empty path.
        let root = folder.ancestors().find(|ancestor| ancestor.join("Cargo.toml").is_file());
        Ok(root.unwrap_or(folder).join("golden"))
    }
}

/// The spec in a tree; `None` where something is wrong, which has been reported.
fn check(path: &Path, root: &Node, reader: &mut Reader<'_>) -> Option<Spec> {
    if root.is_null() {
        return reader.refuse(root.span, "this file is empty");
    }
    let unknown_version = unknown_version(root, reader);
    if unknown_version.is_some() {
        // Whatever else seems wrong may be right in that version.
        reader.found = unknown_version.unwrap_or_default();
        return None;
    }
    let raw = RawSpec::from_node(root, reader)?;
    let cutoffs = Cutoffs::of(&raw);

    let collection = raw.collection.into_value().and_then(|collection| collection.check(reader));
    let (names, configurations) = match raw.configurations {
        Field::Given(given) => {
            let names: Vec<String> = given.value.0.iter().map(|(name, _)| name.value.0.clone()).collect();
            let checked: Vec<Option<Configuration>> =
                given.value.0.into_iter().map(|(name, raw)| raw?.check(name, reader)).collect();
            (Some(names), checked.into_iter().collect::<Option<Vec<_>>>())
        }
        Field::Absent | Field::Broken => (None, None),
    };
    let names = names.as_deref();
    let (thresholds, thresholds_read) = items(raw.thresholds);
    let thresholds = place(thresholds, reader, |raw, _, reader| raw.check(names, reader));
    let (comparisons, comparisons_read) = items(raw.comparisons);
    let comparisons = place(comparisons, reader, |raw, at, reader| raw.check(at, names, reader));
    let statistics = raw.statistics.into_value().map(|raw| raw.check(reader)).unwrap_or_default();
    let depth = cutoffs.depth(raw.depth.given().map(|given| (given.value.0, given.at)), reader);

    let benchmark = raw.benchmark.into_value();
    let (snapshot, deterministic) = (raw.snapshot, raw.deterministic);
    let on = |field: &Field<bool>| field.value().copied().unwrap_or_default();
    let listed = raw.metrics.into_value().map(|metrics| metrics.into_values()).unwrap_or_default();
    let metrics = reported(listed, &thresholds, &comparisons);
    if let Some(given) = snapshot.given().filter(|given| given.value && metrics.is_empty() && thresholds_read)
    {
        let problem = Problem::new(given.at, "there is no metric to take a snapshot of");
        reader.report(problem.help("list the metrics to report under `metrics`"));
    }
    if let (Some(given), Some(configurations)) =
        (deterministic.given().filter(|given| given.value), configurations.as_deref())
        && !configurations.iter().any(Configuration::is_live)
    {
        let problem =
            Problem::new(given.at, "every configuration is a frozen run, so there is nothing to ask twice");
        reader.report(problem);
    }
    let readable = thresholds_read && comparisons_read && !matches!(snapshot, Field::Broken);
    if readable && thresholds.is_empty() && comparisons.is_empty() && !on(&snapshot) && !on(&deterministic) {
        let problem = Problem::new(root.span, "this spec has no gate: it could never fail");
        reader.report(problem.help("add `thresholds`, `comparisons`, or `snapshot: true`"));
    }
    // Names of gates are made from the benchmark's: with a placeholder they can be compared at least.
    let name = benchmark.as_ref().map_or("benchmark", |name| &name.0);
    let gates = gates::expand(
        &gates::Demands {
            benchmark: name,
            thresholds: &thresholds,
            comparisons: &comparisons,
            snapshot: snapshot.given().filter(|given| given.value).map(|given| given.key),
            deterministic: deterministic.given().filter(|given| given.value).map(|given| given.key),
            configurations: configurations.as_deref().unwrap_or_default(),
        },
        reader,
    );
    raw.version.into_value()?;
    Some(Spec {
        path: path.to_owned(),
        benchmark: benchmark?.0,
        description: raw.description.into_value(),
        collection: collection?,
        depth,
        configurations: configurations?,
        metrics,
        segments: raw.segments.into_value().map(|segments| segments.into_values()).unwrap_or_default(),
        thresholds: thresholds.into_iter().map(|placed| placed.value).collect(),
        comparisons: comparisons.into_iter().map(|placed| placed.value).collect(),
        statistics,
        golden: raw.golden.into_value(),
        skip_unjudgeable: raw.skip_unjudgeable.into_value().unwrap_or_default(),
        snapshot: on(&snapshot),
        deterministic: on(&deterministic),
        gates,
    })
}

/// What is wrong with the version, if it is there and unknown.
fn unknown_version(root: &Node, reader: &mut Reader<'_>) -> Option<Found> {
    let crate::yaml::Value::Map(entries) = &root.value else { return None };
    let version = entries.iter().find(|entry| &*entry.key.text == "version")?;
    let mut alone = Reader { found: Found::default(), ..*reader };
    match alone.read::<super::raw::Version>(&version.value) {
        Some(_) => None,
        None => Some(alone.found),
    }
}

/// The items of a list, and whether it could be read.
fn items<T>(field: Field<List<T>>) -> (Vec<At<T>>, bool) {
    match field {
        Field::Absent => (Vec::new(), true),
        Field::Broken => (Vec::new(), false),
        Field::Given(given) => (given.value.0, true),
    }
}

/// The items that pass a check, with their places.
fn place<T, U>(
    items: Vec<At<T>>,
    reader: &mut Reader<'_>,
    mut check: impl FnMut(T, Span, &mut Reader<'_>) -> Option<U>,
) -> Vec<Placed<U>> {
    items
        .into_iter()
        .filter_map(|item| Some(Placed { at: item.at, value: check(item.value, item.at, reader)? }))
        .collect()
}

/// The metrics of the spec, then those that only gates name, in the order in which they come.
fn reported(
    mut metrics: Vec<Metric>,
    thresholds: &[Placed<Threshold>],
    comparisons: &[Placed<Comparison>],
) -> Vec<Metric> {
    let of_thresholds = thresholds.iter().flat_map(|placed| &placed.value.metrics);
    let of_comparisons = comparisons.iter().flat_map(|placed| &placed.value.metrics);
    for metric in of_thresholds.chain(of_comparisons) {
        if !metrics.contains(metric) {
            metrics.push(metric.clone());
        }
    }
    metrics
}

/// The cutoffs that a spec names, with their places.
struct Cutoffs {
    named: Vec<(usize, Span)>,
    /// Whether a metric looks at the whole ranking.
    open: bool,
}

impl Cutoffs {
    fn of(raw: &RawSpec) -> Self {
        let mut cutoffs = Self { named: Vec::new(), open: false };
        if let Some(metrics) = raw.metrics.value() {
            cutoffs.add(&metrics.0);
        }
        for threshold in raw.thresholds.value().map(|list| &list.0[..]).unwrap_or_default() {
            if let Some(metrics) = threshold.value.metrics.value() {
                cutoffs.add(&metrics.0);
            }
        }
        for comparison in raw.comparisons.value().map(|list| &list.0[..]).unwrap_or_default() {
            if let Some(metrics) = comparison.value.metrics.value() {
                cutoffs.add(&metrics.0);
            }
            if let Some(cutoff) = comparison.value.cutoff.given() {
                cutoffs.named.push((cutoff.value.0, cutoff.at));
            }
        }
        cutoffs
    }

    fn add(&mut self, metrics: &[At<Metric>]) {
        for metric in metrics {
            match metric.value.cutoff() {
                Some(cutoff) => self.named.push((cutoff, metric.at)),
                None => self.open = true,
            }
        }
    }

    fn depth(&self, given: Option<(usize, Span)>, reader: &mut Reader<'_>) -> usize {
        let deepest = self.named.iter().map(|(cutoff, _)| *cutoff).max().unwrap_or(0);
        let Some((depth, at)) = given else { return deepest.max(if self.open { 1000 } else { 10 }) };
        // The deepest, and of several the first.
        let too_deep = self.named.iter().filter(|(cutoff, _)| *cutoff > depth);
        if let Some((cutoff, place)) = too_deep.min_by_key(|(cutoff, place)| (usize::MAX - cutoff, *place)) {
            let message = format!("a depth of {depth} is less than a cutoff of {cutoff}");
            let problem = Problem::new(at, message).related(*place, "asks for more results");
            reader.report(problem.help(format!("ask for {cutoff} results or more, or leave `depth` out")));
        }
        depth
    }
}
