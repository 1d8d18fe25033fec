//! What stood in golden files before anything was asked.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use crate::error::Quoted;
use crate::golden::GoldenRun;
use crate::scores::ScoreTable;
use crate::spec::{Configuration, Spec};
use crate::{Error, Result};

/// What stood in a configuration's golden files before anything was asked: a retriever that writes there
/// must not be held against what it has written.
#[derive(Debug)]
pub(crate) struct BeforeAsking {
    /// Taken when it is judged.
    pub(super) run: Mutex<Result<Option<GoldenRun>>>,
    /// The columns of scores beside it.
    pub(super) scores: Result<ScoreTable>,
    pub(crate) snapshot: Option<String>,
    /// What there was to decide by on the day that it was blessed.
    pub(crate) judged: Option<JudgedThen>,
}

/// The judged queries of the day that a run was blessed.
#[derive(Debug)]
pub(crate) struct JudgedThen {
    /// Their ids.
    pub(crate) queries: BTreeSet<String>,
    /// How many of them had a relevant document, where the file says so.
    pub(crate) judgeable: Option<usize>,
}

/// Refuses the golden run of another configuration that the spec has too. A configuration that was renamed keeps what was
/// blessed of it.
pub(super) fn refuse_others(spec: &Spec, configuration: &Configuration, of: &str, path: &Path) -> Result<()> {
    if of == configuration.name || spec.configuration(of).is_none() {
        return Ok(());
    }
    let of = Quoted(of);
    let message =
        format!("the blessed run of {of}, which the spec has too: it was put here by a copy or a merge");
    Err(Error::in_file(path, message))
}
