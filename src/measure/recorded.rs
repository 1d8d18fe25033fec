//! What configurations answered in the last test run: read by commands that cannot ask a retriever of Rust.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Result;
use crate::evaluation::Columns;
use crate::golden::{GoldenRun, Inputs};
use crate::spec::{Configuration, ConfigurationSource};
use crate::utc::utc;

use super::Cache;
use super::columns::read_beside;

/// A run that is read in place of a retriever which only a test can ask.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The configuration.
    pub configuration: String,
    /// The file, as messages show it.
    pub file: String,
    /// When a test run last found it so, `2026-11-22 02:21 UTC`; `None` of a golden run, which a checkout dates
    /// again.
    pub made: Option<String>,
    /// What differs since, judgments aside: these are today's.
    pub changed: Vec<String>,
}

/// The run, and what there is to say of it.
pub(crate) struct Recording {
    pub(crate) golden: GoldenRun,
    pub(crate) said: Recorded,
    /// The columns that its answers carried.
    pub(crate) columns: Columns,
}

impl Cache {
    /// Where the configuration's answers in the last test run stand.
    pub(super) fn recorded_run(&self, configuration: &Configuration) -> PathBuf {
        self.context.output.join(self.name()).join(format!("{}.run", configuration.name))
    }

    /// The run that stands for a retriever which is registered elsewhere, read once.
    pub(crate) fn recording(&self, configuration: &Configuration) -> Result<Option<Arc<Recording>>> {
        self.slot(configuration).recording.get_or_init(|| self.find_recorded(configuration)).clone()
    }

    /// The run that stands for a retriever which is registered elsewhere, where the caller allows it: its answers in the
    /// last test run, else its blessed run.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn find_recorded(&self, configuration: &Configuration) -> Result<Option<Arc<Recording>>> {
        if !self.is_elsewhere(configuration) {
            return Ok(None);
        }
        let (last, blessed) = (self.recorded_run(configuration), self.blessed_path(configuration, None)?);
        for (path, is_last) in [(last, true), (blessed, false)] {
            let Some(golden) = GoldenRun::read(&path)? else { continue };
            let made = path.metadata().and_then(|file| file.modified()).ok().filter(|_| is_last);
            let collection = self.collection()?;
            let changed = self.inputs(configuration, collection)?.changed_since(&golden.inputs);
            let said = Recorded {
                configuration: configuration.name.clone(),
                file: self.context.shown(&path),
                made: made.map(utc),
                changed: changed.into_iter().filter(|input| *input != Inputs::JUDGMENTS).collect(),
            };
            let columns =
                read_beside(&path)?.columns.into_iter().map(|(name, column)| (name, Ok(column))).collect();
            return Ok(Some(Arc::new(Recording { golden, said, columns })));
        }
        Ok(None)
    }
}

impl Cache {
    /// Whether a retriever is registered elsewhere, and the caller lets recorded runs stand for it.
    pub(crate) fn is_elsewhere(&self, configuration: &Configuration) -> bool {
        let ConfigurationSource::Retriever { name, .. } = &configuration.source else { return false };
        self.context.recorded && self.registry.retrievers.names().all(|known| known != name)
    }
}

impl Recorded {
    /// Which run it is, in a few words: `target/rankgate/toy/words.run, made 2026-11-22 02:21 UTC`.
    pub fn describe(&self) -> String {
        let made = self.made.as_ref().map_or("the blessed run".to_owned(), |made| format!("made {made}"));
        let mut text = format!("{}, {made}", self.file);
        if !self.changed.is_empty() {
            let changed: Vec<String> = self.changed.iter().map(ToString::to_string).collect();
            text += &format!("; changed since: {}", changed.join(", "));
        }
        text
    }
}
