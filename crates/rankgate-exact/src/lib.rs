//! Exact nearest neighbours over files of vectors: what [rankgate](https://docs.rs/rankgate) holds an approximate index
//! against.
//!
//! [`Vectors`] reads the files that vector benchmarks come in. [`Exact`] finds the nearest of them by blocked matrix
//! products and says the distances in double precision, the same ones at any number of threads.
//!
//! ```
//! use rankgate_exact::{Distance, Exact, Vectors};
//!
//! let base = Vectors::new(2, vec![0.0, 0.0, 3.0, 4.0, 1.0, 0.0])?;
//! let query = Vectors::new(2, vec![0.0, 0.0])?;
//! let nearest = Exact::new(base, Distance::L2)?.nearest(&query, &[0], 2, None)?;
//! let found: Vec<(usize, f64)> = nearest[0].iter().map(|one| (one.row, one.distance)).collect();
//! assert_eq!(found, [(0, 0.0), (2, 1.0)]);
//! # Ok::<(), rankgate_core::Error>(())
//! ```

mod data;
mod distance;
mod format;
mod ids;
mod product;
mod search;
mod top;
mod vectors;

pub use distance::Distance;
pub use ids::VectorIds;
pub use search::{Allowed, Exact, Neighbour};
pub use vectors::Vectors;

use std::path::Path;

use rankgate_core::internal::output::replace_file;
use rankgate_core::internal::{error, threads};
use rankgate_core::{Error, Result};

/// Replaces a file of neighbours or vectors, as a whole or not at all.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    replace_file(path.as_ref(), |output| output.bytes(bytes))
}
