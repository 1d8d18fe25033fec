//! `.fvecs`, `.bvecs`, `.ivecs`: each vector behind its dimension, a 32-bit number. Source: corpus-texmex.irisa.fr.

use std::path::Path;

use super::Content;
use super::stream::{Kind, Stream};
use crate::Result;

pub(super) fn read(path: &Path, ending: &str) -> Result<Content> {
    let (mut stream, kind, rows, dimension) = open(path, ending)?;
    let mut data = kind.room(rows.saturating_mul(dimension));
    for row in 0..rows {
        if row > 0 {
            let said = i32::from_le_bytes(stream.bytes("the dimension of a vector")?);
            if i64::from(said) != dimension as i64 {
                return Err(
                    stream.wrong(format!("vector {row} has dimension {said}, and vector 0 has {dimension}"))
                );
            }
        }
        stream.numbers(kind, dimension, &mut data, "a vector")?;
    }
    Ok((dimension, data, None))
}

/// How many vectors there are.
pub(super) fn count(path: &Path, ending: &str) -> Result<usize> {
    open(path, ending).map(|(_, _, rows, _)| rows)
}

/// The file behind the dimension of its first vector: what its numbers are, how many vectors, their dimension.
fn open(path: &Path, ending: &str) -> Result<(Stream, Kind, usize, usize)> {
    let kind = match ending {
        "fvecs" => Kind::Float32,
        "bvecs" => Kind::Uint8,
        _ => Kind::Int32,
    };
    let mut stream = Stream::open(path)?;
    if stream.size == 0 {
        return Err(stream.wrong("it is empty: no vector begins"));
    }
    let said = i32::from_le_bytes(stream.bytes("the dimension of vector 0")?);
    let Some(dimension) = usize::try_from(said).ok().filter(|dimension| *dimension > 0) else {
        return Err(stream.wrong(format!("vector 0 says that its dimension is {said}")));
    };
    let stride = 4 + dimension as u64 * kind.width() as u64;
    let rows = usize::try_from(stream.size / stride).unwrap_or(usize::MAX);
    let rest = stream.size % stride;
    if rest != 0 {
        return Err(stream.wrong(format!(
            "vector {rows} ends after {rest} of {stride} bytes: the file is cut off, or its vectors differ in dimension"
        )));
    }
    Ok((stream, kind, rows, dimension))
}
