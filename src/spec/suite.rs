//! Suites: several benchmarks with one verdict on all of them.

mod check;
mod keys;
mod members;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::check::check;
#[cfg(test)]
pub(super) use self::keys::RawSuite;
use super::check::entry;
use super::{Registry, Spec};
use crate::Result;
use crate::gate::{Comparison, Gate, Statistics, Threshold};
use crate::gates::Entries as GateEntries;
use crate::mapping::Reader;
use crate::metric::Metric;
use crate::yaml::{Problems, Source, parse};

/// A benchmark of a suite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuiteMember {
    /// Its file.
    pub path: PathBuf,
    /// The checked spec.
    pub spec: Spec,
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
    /// Its benchmarks in the order of the file, two or more, all of different names.
    pub members: Vec<SuiteMember>,
    /// The configurations that all of them have, in the order of the first.
    pub configurations: Vec<String>,
    /// The configurations that no threshold without `for` holds, since some benchmarks lack them: each with those
    /// benchmarks. Empty where every threshold has a `for`.
    pub left_out: Vec<(String, Vec<String>)>,
    /// What is reported: the metrics of the suite, then those that only gates name. All different.
    pub metrics: Vec<Metric>,
    /// Limits on means over collections, each of which counts alike.
    pub thresholds: Vec<Threshold>,
    /// Candidates held against baselines; what they expect is about scores.
    pub comparisons: Vec<Comparison>,
    /// How they are decided.
    pub statistics: Statistics,
    /// The share of the data that gates need in each collection, unless they have their own.
    pub coverage: Option<f64>,
    /// Every test, in the order of the file: thresholds, then comparisons. All names different.
    pub gates: Vec<Gate>,
}

impl SuiteSpec {
    /// The entries that gates are of.
    pub(crate) fn entries(&self) -> GateEntries<'_> {
        GateEntries { thresholds: &self.thresholds, comparisons: &self.comparisons }
    }

    /// Whether a file is meant to be a suite: it has the key `suite` and no key `benchmark`.
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
}
