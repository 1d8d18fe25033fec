//! What the user says of the test run: specs, retrievers, metrics.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::Error;
use crate::benchmark::Registry;
use crate::golden::Site;
use crate::metric::{JudgedRanking, Metric};
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
    /// values. Specs name it like any other.
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
}

#[doc(hidden)]
impl Harness {
    pub fn new(site: Site, specs: impl Into<PathBuf>) -> Self {
        Self { site, specs: specs.into(), registry: Registry::new(), errors: Vec::new() }
    }
}
