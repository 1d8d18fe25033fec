//! True neighbours that evaluations share, and that may become known after them.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use crate::neighbours::Neighbours;
use crate::{Error, Result};

/// The true neighbours of a benchmark's queries, shared by all its evaluations: empty until they are known.
#[derive(Clone, Debug)]
pub struct Truth(Arc<AssertUnwindSafe<OnceLock<Result<Neighbours>>>>);

impl Default for Truth {
    fn default() -> Self {
        Self(Arc::new(AssertUnwindSafe(OnceLock::new())))
    }
}

impl Truth {
    /// The neighbours, or why there are none; `None` until either is known.
    pub fn get(&self) -> Option<Result<&Neighbours>> {
        self.0.get().map(|known| known.as_ref().map_err(Error::clone))
    }

    /// Makes them known, unless they are.
    pub fn fill(&self, find: impl FnOnce() -> Result<Neighbours>) {
        self.0.get_or_init(find);
    }
}
