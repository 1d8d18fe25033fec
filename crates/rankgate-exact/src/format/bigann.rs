//! `.fbin` and its like: the number of vectors and their dimension, 32 bits each, then all vectors. Source: big-ann-benchmarks.com.

use std::path::Path;

use super::Content;
use super::stream::{Kind, Stream};
use crate::Result;

pub(super) fn read(path: &Path, ending: &str) -> Result<Content> {
    let (mut stream, kind, rows, dimension) = open(path, ending)?;
    let mut data = kind.room(rows * dimension);
    stream.numbers(kind, rows * dimension, &mut data, "its vectors")?;
    Ok((dimension, data, None))
}

/// How many vectors there are.
pub(super) fn count(path: &Path, ending: &str) -> Result<usize> {
    open(path, ending).map(|(_, _, rows, _)| rows)
}

/// The file behind its header: what its numbers are, how many vectors, their dimension.
fn open(path: &Path, ending: &str) -> Result<(Stream, Kind, usize, usize)> {
    let kind = match ending {
        "fbin" => Kind::Float32,
        "f16bin" => Kind::Float16,
        "u8bin" => Kind::Uint8,
        "i8bin" => Kind::Int8,
        _ => Kind::Int32,
    };
    let mut stream = Stream::open(path)?;
    let header: [u8; 8] = stream.bytes("its header of 8 bytes")?;
    let [rows, dimension] = [0, 4]
        .map(|at| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize);
    let size = (rows as u64).saturating_mul(dimension as u64).saturating_mul(kind.width() as u64);
    let rest = stream.size - 8;
    if rows == 0 || dimension == 0 || size != rest {
        return Err(stream.wrong(format!(
            "its header says {rows} vectors of dimension {dimension}, which take {size} bytes, and {rest} follow: it is cut \
             off, or something else"
        )));
    }
    Ok((stream, kind, rows, dimension))
}
