//! What the user says of the test run: specs, retrievers, metrics.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::Error;
use crate::benchmark::Registry;
use crate::golden::Site;
use crate::metric::{JudgedRanking, Metric, RankedQuery};
use crate::retriever::{BoxError, Retriever, Setup};

/// A test run over the specs of a folder; made by [`harness!`](crate::harness!).
#[must_use = "call `run` and return its exit code from `main`"]
pub struct Harness {
    pub(super) site: Site,
    pub(super) specs: PathBuf,
    pub(super) registry: Registry,
    pub(super) errors: Vec<Error>,
}

impl Harness {
    /// Registers a retriever under the name that `retriever:` in a spec gives.
    ///
    /// The factory is called when the first gate needs it, at most once per configuration and test
    /// run. A name that is taken becomes a failing test.
    pub fn retriever<R: Retriever + 'static>(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<R, BoxError> + Send + Sync + 'static,
    ) -> Self {
        let registered = self.registry.retrievers.register(name, factory);
        self.errors.extend(registered.err());
        self
    }

    /// Registers a metric: a name and a function of one judged ranking, with the range of its
    /// values. Specs name it like any other. [`metric_of_query`](Self::metric_of_query) sees documents too.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// rankgate::harness!("benchmarks")
    ///     .metric("FirstIsBest", 0.0..=1.0, |ranking| {
    ///         f64::from(u8::from(ranking.grade_at(1) == Some(3)))
    ///     })
    ///     .run()
    /// # }
    /// ```
    pub fn metric(
        mut self,
        name: &str,
        range: RangeInclusive<f64>,
        f: impl Fn(&JudgedRanking) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let registered =
            Metric::custom(name, range, f).and_then(|metric| self.registry.metrics.register(metric));
        self.errors.extend(registered.err());
        self
    }

    /// Registers a metric that looks at the query and at the ids of its documents, and not at grades alone.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// rankgate::harness!("benchmarks")
    ///     .metric_of_query("Guides@4", 0.0..=1.0, |asked| {
    ///         let top = asked.documents().iter().take(4);
    ///         top.filter(|document| document.id.starts_with("guide-")).count() as f64 / 4.0
    ///     })
    ///     .run()
    /// # }
    /// ```
    pub fn metric_of_query(
        self,
        name: &str,
        range: RangeInclusive<f64>,
        f: impl Fn(&RankedQuery<'_>) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.metric_of_documents(name, range, [] as [&str; 0], f)
    }

    /// The same of a metric that looks at documents' metadata too: of each document it is given what the collection says
    /// under these keys. A collection without documents, or none with such a key, is an error before anything is asked.
    ///
    /// ```no_run
    /// use std::collections::BTreeSet;
    ///
    /// # fn main() -> std::process::ExitCode {
    /// rankgate::harness!("benchmarks")
    ///     .metric_of_documents("Categories@5", 0.0..=5.0, ["category"], |asked| {
    ///         let top = asked.documents().iter().take(5);
    ///         let categories: BTreeSet<String> =
    ///             top.filter_map(|document| Some(document.metadata.get("category")?.to_string())).collect();
    ///         categories.len() as f64
    ///     })
    ///     .run()
    /// # }
    /// ```
    pub fn metric_of_documents<K: Into<String>>(
        mut self,
        name: &str,
        range: RangeInclusive<f64>,
        metadata: impl IntoIterator<Item = K>,
        f: impl Fn(&RankedQuery<'_>) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let registered = Metric::custom_of_documents(name, range, metadata, f)
            .and_then(|metric| self.registry.metrics.register(metric));
        self.errors.extend(registered.err());
        self
    }
}

#[doc(hidden)]
impl Harness {
    pub fn new(site: Site, specs: impl Into<PathBuf>) -> Self {
        Self { site, specs: specs.into(), registry: Registry::new(), errors: Vec::new() }
    }
}
