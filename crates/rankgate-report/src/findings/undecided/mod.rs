//! A gate that could not be decided.

pub(crate) mod message;

use crate::json::record;

record! {
    /// The gate could not be decided: why, in one sentence.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UndecidedFinding {
        /// What kept it from being decided.
        pub reason: String,
    }
}
