//! A checked spec.

use std::path::{Component, Path, PathBuf};

use super::collection::CollectionPlan;
use super::configuration::Configuration;
use super::depth::WHOLE;
use super::scores::ScorePlan;
use super::template::PathTemplate;
use crate::Result;
use crate::gate::{Comparison, Gate, LatencyGate, Statistics, Threshold};
use crate::gates::Entries;
use crate::metric::Metric;

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
    /// SHA-256 of the file's bytes, as [`file_sha256`](crate::collection::file_sha256) gives it.
    pub sha256: String,
    /// The benchmark's name.
    pub benchmark: String,
    /// The searched and judged collection.
    pub collection: CollectionPlan,
    /// Results asked for per query; no cutoff is deeper.
    pub depth: usize,
    /// The metric without a cutoff that made the depth what it is, where the file does not give one.
    pub depth_because: Option<Metric>,
    /// What is measured, in the order of the file, at least one.
    pub configurations: Vec<Configuration>,
    /// The reported metrics: those of the spec, then those that only gates name. All different.
    pub metrics: Vec<Metric>,
    /// Metadata keys to break reports down by.
    pub segments: Vec<String>,
    /// The line of each of them.
    pub(crate) segment_lines: Vec<usize>,
    /// Limits on metrics.
    pub thresholds: Vec<Threshold>,
    /// Candidates held against baselines.
    pub comparisons: Vec<Comparison>,
    /// Limits on the time that answers take.
    pub latency: Vec<LatencyGate>,
    /// Columns of scores, in the order of the file; all names different.
    pub scores: Vec<ScorePlan>,
    /// How comparisons are decided.
    pub statistics: Statistics,
    /// The share of the data that gates need, unless they have their own.
    pub coverage: Option<f64>,
    /// The folder of golden files, where the spec names one; see [`golden_folder`](Self::golden_folder).
    pub golden: Option<PathTemplate>,
    /// Leave out queries without a relevant document.
    pub skip_queries_without_relevant: bool,
    /// Hold metric reports against what was blessed.
    pub snapshot: bool,
    /// Ask live configurations twice.
    pub deterministic: bool,
    /// Every test, in the order of the file: thresholds, comparisons, latency, snapshots, determinism. At least
    /// one unless the [registry](super::Registry::without_gates) allows none, all names different.
    pub gates: Vec<Gate>,
}

impl Spec {
    /// Results that are asked for per query: one more than are scored where that with the query's own id is
    /// taken out.
    pub(crate) fn asked_depth(&self) -> usize {
        self.depth + usize::from(self.collection.exclude_identical_ids)
    }

    /// The entries that gates are of.
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries { thresholds: &self.thresholds, comparisons: &self.comparisons }
    }

    /// The configurations that a gate judges or compares with.
    pub(crate) fn configurations_of<'a>(&'a self, gate: &'a Gate) -> impl Iterator<Item = &'a Configuration> {
        let other = gate.kind.other_configuration(self.entries());
        let names = [Some(gate.configuration.as_str()), other].into_iter().flatten();
        names.filter_map(|name| self.configuration(name))
    }

    /// The configuration of this name.
    pub fn configuration(&self, name: &str) -> Option<&Configuration> {
        self.configurations.iter().find(|configuration| configuration.name == name)
    }

    /// The metrics without a cutoff, where `depth` lets them see less than they do by default.
    pub(crate) fn cut_short(&self) -> impl Iterator<Item = &Metric> {
        self.metrics
            .iter()
            .filter(|metric| metric.cutoff().is_none() && !metric.is_best_low() && self.depth < WHOLE)
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
        let is_crate = |folder: &&Path| folder.join("Cargo.toml").is_file();
        let folder = self.path.parent().unwrap_or(Path::new(""));
        // What `..` leads to is not said by the path itself.
        let whole = match folder.components().any(|part| part == Component::ParentDir) {
            true => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
            false => folder.to_owned(),
        };
        if let Some(root) = whole.ancestors().find(is_crate) {
            return Ok(root.join("golden"));
        }
        // A relative path ends where the command was typed, which may be inside of the crate.
        let here = if whole.is_relative() { std::env::current_dir().unwrap_or_default() } else { whole };
        match here.ancestors().position(|ancestor| is_crate(&ancestor)) {
            Some(up) => Ok(std::iter::repeat_n("..", up).collect::<PathBuf>().join("golden")),
            None => Ok(folder.join("golden")),
        }
    }
}
