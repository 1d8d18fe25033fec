//! The files that vectors come in.

mod bigann;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod stream;
mod texmex;

use std::path::Path;

use crate::data::Data;
use crate::{Error, Result};

/// Dimension, numbers, ids.
pub(crate) type Content = (usize, Data, Option<Vec<String>>);

pub(crate) fn read(path: &Path) -> Result<Content> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "fvecs" | "bvecs" | "ivecs" => texmex::read(path, ending),
        "fbin" | "f16bin" | "u8bin" | "i8bin" | "ibin" => bigann::read(path, ending),
        "npy" => npy::read(path),
        #[cfg(feature = "parquet")]
        "parquet" => parquet::read(path),
        #[cfg(not(feature = "parquet"))]
        "parquet" => Err(Error::in_file(path, "vectors in Parquet need the feature `parquet`")),
        _ => Err(Error::in_file(
            path,
            "vectors are read by their file's ending: fvecs, bvecs, ivecs, fbin, f16bin, u8bin, i8bin, ibin, npy, parquet",
        )),
    }
}
