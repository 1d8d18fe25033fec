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
        _ => Err(unknown(path, ending)),
    }
}

/// How many vectors a file has, and their ids where it has some; the vectors themselves are not read.
pub(crate) fn read_ids(path: &Path) -> Result<(usize, Option<Vec<String>>)> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let count = match ending {
        "fvecs" | "bvecs" | "ivecs" => texmex::count(path, ending),
        "fbin" | "f16bin" | "u8bin" | "i8bin" | "ibin" => bigann::count(path, ending),
        "npy" => npy::count(path),
        #[cfg(feature = "parquet")]
        "parquet" => return parquet::read_ids(path),
        _ => Err(unknown(path, ending)),
    };
    Ok((count?, None))
}

fn unknown(path: &Path, ending: &str) -> Error {
    let message = match ending {
        "parquet" => "vectors in Parquet need the feature `parquet`",
        _ => {
            "vectors are read by their file's ending: fvecs, bvecs, ivecs, fbin, f16bin, u8bin, i8bin, ibin, npy, parquet"
        }
    };
    Error::in_file(path, message)
}
