//! Retrieval metrics.
