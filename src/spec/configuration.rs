//! `configurations:`: the systems that are measured.

mod by_name;
mod check;
mod keys;
mod source;

use std::time::Duration;

pub(super) use self::by_name::RawConfigurations;
#[cfg(test)]
pub(super) use self::keys::{ParamsNode, RawConfiguration};
pub use self::source::ConfigurationSource;
use super::parents::ParentsPlan;
use super::template::PathTemplate;

/// One way of retrieving that is measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Configuration {
    /// Its name, unique within the spec.
    pub name: String,
    /// What answers.
    pub source: ConfigurationSource,
    /// The judged documents that its chunks belong to; `None` where it returns documents.
    pub parents: Option<ParentsPlan>,
    /// Where its chunks lie in the documents that spans are of; `None` where its hits say so.
    pub chunks: Option<PathTemplate>,
    /// How often every query is asked, 1 or more; 1 for a frozen run.
    pub repeats: usize,
    /// How long a query may take; `None` where the spec does not say.
    pub timeout: Option<Duration>,
    /// The line of the spec that says so, from 1.
    pub timeout_line: Option<usize>,
    /// How many queries are asked at once; `None` where the spec does not say.
    pub concurrency: Option<usize>,
    /// The line of the spec it stands on, from 1.
    pub line: usize,
}

impl Configuration {
    /// Whether something answers now, in contrast to a frozen run.
    pub fn is_live(&self) -> bool {
        !matches!(self.source, ConfigurationSource::Run { .. })
    }

    /// Whether its retriever is registered from Rust.
    pub fn is_from_rust(&self) -> bool {
        matches!(self.source, ConfigurationSource::Retriever { .. })
    }
}
