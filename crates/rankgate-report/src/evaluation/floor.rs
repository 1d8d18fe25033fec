//! What the floor of a configuration cut.

use std::sync::Arc;

use crate::run::{Hit, Run};
use crate::{Error, Result};

/// The floor of a configuration, which cuts results that score below it, and the rankings of one pass.
#[derive(Clone, Debug, Default)]
pub enum Floor {
    /// There is none.
    #[default]
    None,
    /// It cut these, which are as they were before.
    Cut(Arc<Run>),
    /// It cut rankings that nobody knows any more: those of a golden run.
    Unknown,
}

impl Floor {
    /// Whether it cut a relevant document of a query. Only asked where none is left.
    pub(super) fn cut_relevant(&self, query: &str, is_relevant: impl Fn(&Hit) -> bool) -> Result<bool> {
        match self {
            Self::None => Ok(false),
            Self::Unknown => Err(Error::invalid(
                "the rankings were kept as the floor left them, and nobody knows what it cut",
            )),
            Self::Cut(before) => Ok(before.ranking(query).unwrap_or_default().iter().any(is_relevant)),
        }
    }
}
