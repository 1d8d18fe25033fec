//! Numbers in the order of a file, without a second copy of it in memory.

use std::fmt::Display;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use half::f16;
use rankgate_core::internal::input::open;

use crate::data::Data;
use crate::{Error, Result};

/// Bytes that are read at once; a multiple of every width.
const CHUNK: usize = 1 << 20;

/// What a number is in a file, all with the lower byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float64,
    Float32,
    Float16,
    Int32,
    Int8,
    Uint8,
}

impl Kind {
    pub(super) fn width(self) -> usize {
        match self {
            Self::Float64 => 8,
            Self::Float32 | Self::Int32 => 4,
            Self::Float16 => 2,
            Self::Int8 | Self::Uint8 => 1,
        }
    }

    /// Nothing yet, with room for so many.
    pub(super) fn room(self, count: usize) -> Data {
        match self {
            Self::Float64 | Self::Float32 | Self::Int32 => Data::Float32(Vec::with_capacity(count)),
            Self::Float16 => Data::Float16(Vec::with_capacity(count)),
            Self::Int8 => Data::Int8(Vec::with_capacity(count)),
            Self::Uint8 => Data::Uint8(Vec::with_capacity(count)),
        }
    }
}

/// Numbers from here on are shown with an exponent.
const LONG: f64 = 1e15;
/// Beyond this not every whole number is a float32.
const LARGEST_WHOLE: i32 = 1 << 24;

/// A file that is read from its beginning to its end.
pub(super) struct Stream {
    path: PathBuf,
    file: File,
    /// Its size in bytes.
    pub(super) size: u64,
    chunk: Vec<u8>,
}

impl Stream {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::io("cannot open", path, error);
        let file = open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        Ok(Self { path: path.to_owned(), file, size, chunk: vec![0; CHUNK] })
    }

    /// The next bytes.
    pub(super) fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    pub(super) fn fill(&mut self, bytes: &mut [u8], what: &str) -> Result<()> {
        self.file.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.wrong(format!("it ends within {what}: the file is cut off")),
            _ => Error::io("cannot read", &self.path, error),
        })
    }

    pub(super) fn wrong(&self, message: impl Into<String>) -> Error {
        Error::in_file(&self.path, message)
    }

    /// Appends the next numbers.
    pub(super) fn numbers(&mut self, kind: Kind, count: usize, data: &mut Data, what: &str) -> Result<()> {
        let mut left = count.saturating_mul(kind.width());
        while left > 0 {
            let mut chunk = std::mem::take(&mut self.chunk);
            let part = left.min(CHUNK);
            let read = self.fill(&mut chunk[..part], what);
            let appended = read.and_then(|()| self.append(kind, &chunk[..part], data));
            self.chunk = chunk;
            appended?;
            left -= part;
        }
        Ok(())
    }

    fn append(&self, kind: Kind, bytes: &[u8], data: &mut Data) -> Result<()> {
        match (kind, data) {
            (Kind::Float32, Data::Float32(all)) => all.extend(words(bytes).map(f32::from_le_bytes)),
            (Kind::Float64, Data::Float32(all)) => {
                for number in words(bytes).map(f64::from_le_bytes) {
                    all.push(to_float32(number).map_err(|why| self.wrong(why))?);
                }
            }
            (Kind::Int32, Data::Float32(all)) => {
                for number in words(bytes).map(i32::from_le_bytes) {
                    if number.unsigned_abs() > LARGEST_WHOLE.unsigned_abs() {
                        return Err(self.wrong(left_out(number)));
                    }
                    all.push(number as f32);
                }
            }
            (Kind::Float16, Data::Float16(all)) => all.extend(words(bytes).map(f16::from_le_bytes)),
            (Kind::Int8, Data::Int8(all)) => all.extend(bytes.iter().map(|byte| byte.cast_signed())),
            (Kind::Uint8, Data::Uint8(all)) => all.extend_from_slice(bytes),
            _ => return Err(self.wrong("numbers of two kinds")),
        }
        Ok(())
    }
}

/// The nearest float32. Below 2^24 that is what every index makes of embeddings: it is off by at most a part in 2^24.
///
/// # Errors
/// A number that float32 leaves out and that is beyond 2^24: whole numbers that differ would become one.
pub(super) fn to_float32(number: f64) -> Result<f32, String> {
    let nearest = number as f32;
    let is_moved = number.is_finite() && f64::from(nearest) != number;
    match is_moved && number.abs() > f64::from(LARGEST_WHOLE) {
        // Written out it may have three hundred digits.
        true if number.abs() >= LONG => Err(left_out(format_args!("{number:e}"))),
        true => Err(left_out(number)),
        false => Ok(nearest),
    }
}

fn left_out(number: impl Display) -> String {
    format!("{number} is beyond 2^24, where float32 leaves numbers out")
}

fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_rounded_where_no_whole_numbers_are_lost() {
        for (number, nearest) in [
            (0.1, 0.1_f32),
            (-1.0 / 3.0, -1.0 / 3.0),
            (16_777_215.0, 16_777_215.0),
            (16_777_216.0, 16_777_216.0),
            // 2^24 + 2 is a float32, as 2^30 is.
            (16_777_218.0, 16_777_218.0),
            (1_073_741_824.0, 1_073_741_824.0),
            (f64::INFINITY, f32::INFINITY),
        ] {
            assert_eq!(to_float32(number), Ok(nearest), "{number}");
        }
        // 2^24 + 1 would be 2^24; what is beyond all float32 would be infinite.
        for (number, said) in [
            (16_777_217.0, "16777217 is beyond 2^24"),
            (-16_777_219.0, "-16777219 is beyond 2^24"),
            (20_000_000.3, "20000000.3 is beyond 2^24"),
            (1.5e300, "1.5e300 is beyond 2^24"),
        ] {
            let error = to_float32(number).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
