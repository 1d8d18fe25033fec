//! `configurations:`: the systems that are measured.

mod by_name;
mod check;
mod keys;
mod source;

use std::time::Duration;

pub(super) use self::by_name::RawConfigurations;
pub use self::source::ConfigurationSource;
use super::fusion::FusionPlan;
use super::stages::Stages;
use super::template::PathTemplate;
use super::units::UnitsPlan;

/// One way of retrieving that is measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Configuration {
    /// Its name, unique within the spec.
    pub name: String,
    /// What answers.
    pub source: ConfigurationSource,
    /// The judged documents that its chunks belong to; `None` where it returns documents.
    pub units: Option<UnitsPlan>,
    /// Where its chunks lie in the documents that spans are of; `None` where its hits say so.
    pub chunks: Option<PathTemplate>,
    /// The score that a result needs at least; `None` where all results count.
    pub floor: Option<f64>,
    /// The line of the spec that says so, from 1.
    pub floor_line: Option<usize>,
    /// How often every query is asked, 1 or more; 1 for a frozen run.
    pub repeats: usize,
    /// How often the retriever is rebuilt, 1 or more; where it is more, `repeats` is 1.
    pub rebuilds: usize,
    /// How long a query may take; `None` where the spec does not say.
    pub timeout: Option<Duration>,
    /// The line of the spec that says so, from 1.
    pub timeout_line: Option<usize>,
    /// How many queries are asked at once; `None` where the spec does not say.
    pub concurrency: Option<usize>,
    /// Why its gates run only on request; `None` when they always run.
    pub ignore: Option<String>,
    /// The stages whose rankings its answers carry.
    pub stages: Stages,
    /// Of which configuration it is and under which variant, where it is asked under one.
    pub variant: Option<VariantOf>,
    /// Of which configuration it is and which stage, where it is one.
    pub stage: Option<StageOf>,
    /// The line of the spec it stands on, from 1.
    pub line: usize,
}

/// Of which configuration one with an `@` in its name is, and under which variant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantOf {
    /// The configuration that is asked.
    pub configuration: String,
    /// The name of the variant.
    pub variant: String,
}

/// Of which configuration one with an `@` in its name is, and which of its stages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageOf {
    /// The configuration that is asked.
    pub configuration: String,
    /// The name of the stage.
    pub stage: String,
}

impl Configuration {
    /// Whether it is made of another one: under a variant, or one of its stages.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.variant.is_some() || self.stage.is_some()
    }

    /// Its stages as configurations: `mine@candidates`.
    pub(super) fn at_stages(&self) -> impl Iterator<Item = Self> + '_ {
        self.stages.names().map(|name| Self {
            name: format!("{}@{name}", self.name),
            stage: Some(StageOf { configuration: self.name.clone(), stage: name.to_owned() }),
            stages: Stages::default(),
            // All of these are of what the last stage returns.
            floor: None,
            floor_line: None,
            ..self.clone()
        })
    }

    /// What the names of its files begin with: no name of a configuration has a `+`, and what stands behind an `@`
    /// is what a golden run was tagged with.
    pub(crate) fn file_stem(&self) -> String {
        self.name.replace('@', "+")
    }

    /// How often all queries are asked: once for each repeat, or once for each build.
    #[doc(hidden)]
    #[must_use]
    pub fn passes(&self) -> usize {
        self.repeats.max(self.rebuilds).max(1)
    }

    /// Whether something answers now, in contrast to a frozen run and to a fusion of what others answer.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !matches!(self.source, ConfigurationSource::Run { .. } | ConfigurationSource::Fusion(_))
    }

    /// Whether its retriever is registered from Rust.
    #[must_use]
    pub fn is_from_rust(&self) -> bool {
        matches!(self.source, ConfigurationSource::Retriever { .. })
    }

    /// How it is fused of others, where it is.
    #[must_use]
    pub fn fusion(&self) -> Option<&FusionPlan> {
        match &self.source {
            ConfigurationSource::Fusion(plan) => Some(plan),
            _ => None,
        }
    }
}
