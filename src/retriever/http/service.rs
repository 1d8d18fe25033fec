//! What is to be asked, and how.

use serde_json::Value as Json;

use crate::Result;
use crate::collection::Query;
use crate::retriever::{Limit, Secrets};

use super::Shape;

/// Makes the request for a query and a depth.
pub(crate) type Fill = dyn Fn(&Query, usize) -> Result<Json> + Send + Sync;

/// A service, and how it is asked.
pub(crate) struct Service {
    /// Where requests go.
    pub(crate) url: String,
    /// The same as it is shown: variables as they are written.
    pub(crate) shown: String,
    /// Headers of every request.
    pub(crate) headers: Vec<Header>,
    /// What is sent.
    pub(crate) body: Box<Fill>,
    /// Where an answer has what.
    pub(crate) shape: Shape,
    /// Time for a query, its repetitions included.
    pub(crate) limit: Limit,
    /// What must not be shown of all this.
    pub(crate) secrets: Secrets,
}

/// A header of every request.
pub(crate) struct Header {
    /// Its name, which is one.
    pub(crate) name: String,
    /// Its value.
    pub(crate) value: String,
    /// The value as it is shown: variables as they are written.
    pub(crate) shown: String,
}
