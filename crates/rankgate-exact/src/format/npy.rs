//! `.npy`: an array of numpy. Source: numpy's NEP 1, versions 1 to 3 of the format.

use std::path::Path;

use super::Content;
use super::stream::{Kind, Stream};
use crate::Result;
use crate::error::Quoted;

/// A header says a few words; what is longer is something else.
const LONGEST_HEADER: usize = 1 << 20;

pub(super) fn read(path: &Path) -> Result<Content> {
    let (mut stream, kind, rows, dimension) = open(path)?;
    let mut data = kind.room(rows * dimension);
    stream.numbers(kind, rows * dimension, &mut data, "its vectors")?;
    Ok((dimension, data, None))
}

/// How many vectors there are.
pub(super) fn count(path: &Path) -> Result<usize> {
    open(path).map(|(_, _, rows, _)| rows)
}

/// The file behind its header: what its numbers are, how many vectors, their dimension.
fn open(path: &Path) -> Result<(Stream, Kind, usize, usize)> {
    let mut stream = Stream::open(path)?;
    let start: [u8; 8] = stream.bytes("its first 8 bytes")?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(stream.wrong("it is no `.npy` file: it does not begin with `\\x93NUMPY`"));
    }
    let (prefix, length) = match start[6] {
        1 => (10, usize::from(u16::from_le_bytes(stream.bytes("its header")?))),
        2 | 3 => (12, u32::from_le_bytes(stream.bytes("its header")?) as usize),
        version => return Err(stream.wrong(format!("version {version} of the format is not known"))),
    };
    if length > LONGEST_HEADER {
        return Err(stream.wrong(format!("its header has {length} bytes")));
    }
    let mut header = vec![0; length];
    stream.fill(&mut header, "its header")?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let (kind, rows, dimension) = described(&header).map_err(|message| stream.wrong(message))?;
    let size = rows.checked_mul(dimension).and_then(|numbers| numbers.checked_mul(kind.width()));
    let rest = stream.size.saturating_sub((prefix + length) as u64);
    match size {
        Some(size) if size as u64 == rest => Ok((stream, kind, rows, dimension)),
        _ => Err(stream.wrong(format!(
            "an array of {rows} x {dimension} does not take the {rest} bytes behind its header: the file is cut off"
        ))),
    }
}

/// Kind, rows, dimension.
fn described(header: &str) -> Result<(Kind, usize, usize), String> {
    let value = |key: &str| {
        let quoted = format!("'{key}':");
        header.split_once(&quoted).map(|(_, rest)| rest.trim_start())
    };
    let unread = || format!("its header is not understood: {}", Quoted(header.trim_end()));
    let descr = value("descr").ok_or_else(unread)?;
    let descr = descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next()).ok_or_else(unread)?;
    let kind = match descr {
        "<f8" => Kind::Float64,
        "<f4" => Kind::Float32,
        "<f2" => Kind::Float16,
        "<i4" => Kind::Int32,
        "|i1" => Kind::Int8,
        "|u1" => Kind::Uint8,
        other => {
            return Err(format!(
                "its numbers are {}; `<f4`, `<f8`, `<f2`, `<i4`, `|i1` and `|u1` are read",
                Quoted(other)
            ));
        }
    };
    if !value("fortran_order").ok_or_else(unread)?.starts_with("False") {
        return Err("it is in Fortran's order; `numpy.ascontiguousarray` turns it round".to_owned());
    }
    let shape = value("shape").ok_or_else(unread)?;
    let shape = shape.strip_prefix('(').and_then(|rest| rest.split(')').next()).ok_or_else(unread)?;
    let lengths: Option<Vec<usize>> = shape
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect();
    match lengths.ok_or_else(unread)?[..] {
        [rows, dimension] => Ok((kind, rows, dimension)),
        _ => Err(format!("its shape is ({shape}); vectors take two dimensions")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
        assert_eq!(described(header).unwrap(), (Kind::Float32, 3, 4));
        for (changed, expected) in [
            (header.replace("<f4", ">f4"), "its numbers are `>f4`"),
            (header.replace("False", "True"), "Fortran's order"),
            (header.replace("(3, 4)", "(12,)"), "its shape is (12,); vectors take two dimensions"),
            (header.replace("(3, 4)", "(3, x)"), "not understood"),
            ("{}".to_owned(), "not understood"),
        ] {
            let error = described(&changed).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
