//! Memory for the scores of histories: one limit for all that are computed or cached.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rankgate_history::Scores;

/// What a text takes besides its bytes.
const TEXT: usize = 40;

/// The memory that all histories have.
#[derive(Default)]
pub(crate) struct Budget(Arc<AtomicUsize>);

/// What one of them has of it, until it is forgotten.
pub(crate) struct Share {
    all: Arc<AtomicUsize>,
    own: usize,
}

impl Budget {
    pub(crate) fn share(&self) -> Share {
        Share { all: Arc::clone(&self.0), own: 0 }
    }

    pub(crate) fn is_within(&self, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed) <= limit
    }
}

impl Share {
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.own += bytes;
        self.all.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn is_within(&self, limit: usize) -> bool {
        self.own <= limit
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// The memory that scores take.
pub(crate) fn bytes(scores: &Scores) -> usize {
    let texts = |texts: &[String]| texts.iter().map(|text| TEXT + text.len()).sum::<usize>();
    let values = scores.by_metric.iter().map(|(_, values)| size_of_val(&values[..])).sum::<usize>();
    texts(&scores.queries) + scores.groups.as_deref().map_or(0, texts) + values
}
