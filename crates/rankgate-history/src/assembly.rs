//! Puts a history together from measurements, from any store.

use std::collections::HashSet;

use crate::loss::Tests;
use crate::measured::{History, Measurement};
use crate::model::Verdicts;
use crate::spending::Rules;
use crate::timeline::{ConfigurationTimeline, Head, Refused, SourceKind, Timeline};
use crate::{Error, Result};

/// What was measured of a configuration on the line of a branch, and what was measured elsewhere.
///
/// ```
/// use rankgate_history::{Assembly, History, Refused, SourceKind};
///
/// # let history = History { line: Vec::new(), measurements: Vec::new(), acknowledged: Default::default(), base: None };
/// let assembly = Assembly::new(("search", "bm25", SourceKind::Reports), history);
/// // Nothing to tell, and nothing that could not be placed.
/// assert!(assembly.is_empty() && assembly.refused("not on the line").is_empty());
/// ```
#[derive(Debug)]
pub struct Assembly {
    benchmark: String,
    configuration: String,
    source: SourceKind,
    history: History,
    elsewhere: Vec<Measurement>,
}

impl Assembly {
    /// Parts what was measured by whether its commit is on the line.
    #[must_use]
    pub fn new((benchmark, configuration, source): (&str, &str, SourceKind), mut history: History) -> Self {
        let on_line: HashSet<&str> = history.line.iter().map(|commit| commit.id.as_str()).collect();
        let all = std::mem::take(&mut history.measurements);
        let (own, elsewhere) = all.into_iter().partition(|one| on_line.contains(one.commit.as_str()));
        history.measurements = own;
        let (benchmark, configuration) = (benchmark.to_owned(), configuration.to_owned());
        Self { benchmark, configuration, source, history, elsewhere }
    }

    /// Whether nothing was measured on the line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.history.measurements.is_empty()
    }

    /// The same, from a commit on.
    #[must_use]
    pub fn with_base(mut self, base: Option<String>) -> Self {
        self.history.base = base;
        self
    }

    /// What was measured elsewhere, each with the reason why it is in no history.
    #[must_use]
    pub fn refused(&self, why: &str) -> Vec<Refused> {
        let refused =
            |one: &Measurement| Refused { what: format!("commit {}", one.commit), why: why.to_owned() };
        self.elsewhere.iter().map(refused).collect()
    }

    /// The newest commit of the line, held against those that were measured.
    #[must_use]
    pub fn head(&self, branch: &str, gates: Option<Verdicts>) -> Option<Head> {
        let measured: HashSet<&str> =
            self.history.measurements.iter().map(|one| one.commit.as_str()).collect();
        Head::new(branch, &self.history.line, |id| measured.contains(id), gates)
    }

    /// Tells what happened, with what tests came to before, and names the documents behind alarms.
    ///
    /// # Errors
    /// Those of [`History::tell`] and of `explain`.
    pub fn tell<E: From<Error>>(
        &self,
        tests: &Tests,
        (head, refused): (Option<Head>, Vec<Refused>),
        explain: impl FnOnce(&mut Timeline) -> Result<(), E>,
    ) -> Result<ConfigurationTimeline, E> {
        let mut timeline = self.history.tell_again(&Rules::default(), tests)?;
        explain(&mut timeline)?;
        let (benchmark, configuration) = (self.benchmark.clone(), self.configuration.clone());
        Ok(ConfigurationTimeline { benchmark, configuration, source: self.source, head, timeline, refused })
    }

    /// All that was measured, to be put together again when there is more.
    #[must_use]
    pub fn into_measurements(self) -> Vec<Measurement> {
        let Self { mut history, elsewhere, .. } = self;
        history.measurements.extend(elsewhere);
        history.measurements
    }
}
