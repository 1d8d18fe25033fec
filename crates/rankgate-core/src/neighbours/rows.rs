//! Truth as rows of numbers: `.ivecs` of the TEXMEX data sets, `.ibin` of the big-ann benchmarks, with or without distances.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::collection::Query;
use crate::error::Quoted;
use crate::input::open;
use crate::metric::TrueNeighbours;
use crate::{Error, Result};

/// Truth is a few hundred numbers a query; what is larger is something else.
const LARGEST: u64 = 8 << 30;

/// How rows stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Each row begins with its length, 32 bits.
    Ivecs,
    /// The number of rows and their length, then all of them; then perhaps all distances, as 32-bit floats.
    Ibin,
}

impl Format {
    /// By the name of the file.
    pub(super) fn recognise(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "ivecs" => Some(Self::Ivecs),
            "ibin" | "bin" => Some(Self::Ibin),
            _ => None,
        }
    }
}

/// The rows of a file.
struct Rows {
    bytes: Vec<u8>,
    /// Where the first row begins, and how far it is from one to the next.
    start: usize,
    stride: usize,
    count: usize,
    /// Numbers in a row.
    length: usize,
    /// Where the distances begin.
    distances: Option<usize>,
    /// Whether they fall from the first neighbour on, as similarities do.
    falling: bool,
}

pub(super) fn read(
    path: &Path,
    format: Format,
    queries: &[Query],
) -> Result<HashMap<String, TrueNeighbours, RandomState>> {
    let wrong = |message: String| Error::in_file(path, message);
    let rows = Rows::new(content(path)?, format).map_err(wrong)?;
    let mut by_query = HashMap::default();
    for query in queries {
        let row = rows.row_of(&query.id).map_err(wrong)?;
        by_query.insert(query.id.clone(), rows.truth(row).map_err(wrong)?);
    }
    Ok(by_query)
}

fn content(path: &Path) -> Result<Vec<u8>> {
    let failed = |error| Error::io("cannot read", path, error);
    let mut bytes = Vec::new();
    open(path).map_err(failed)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::in_file(path, "it is larger than 8 GiB, which no truth is"));
    }
    Ok(bytes)
}

impl Rows {
    fn new(bytes: Vec<u8>, format: Format) -> Result<Self, String> {
        match format {
            Format::Ivecs => Self::ivecs(bytes),
            Format::Ibin => Self::ibin(bytes),
        }
    }

    fn ivecs(bytes: Vec<u8>) -> Result<Self, String> {
        let first = number(&bytes, 0).ok_or("it is empty: no row of neighbours begins")?;
        let length = usize::try_from(first).ok().filter(|length| *length > 0);
        let length = length.ok_or_else(|| format!("row 0 says that it has {first} numbers"))?;
        let stride = length.saturating_add(1).saturating_mul(4);
        let count = bytes.len() / stride;
        for row in 0..count {
            let said = number(&bytes, row * stride).unwrap_or_default();
            if i64::from(said) != length as i64 {
                return Err(format!("row {row} says that it has {said} numbers, and row 0 has {length}"));
            }
        }
        cut(bytes.len(), count, stride)?;
        Ok(Self { bytes, start: 4, stride, count, length, distances: None, falling: false })
    }

    fn ibin(bytes: Vec<u8>) -> Result<Self, String> {
        let header = number(&bytes, 0).zip(number(&bytes, 4));
        let (rows, length) = header.ok_or("it ends within its header of 8 bytes")?;
        let size = |number: i32| usize::try_from(number).ok().filter(|size| *size > 0);
        let (Some(count), Some(length)) = (size(rows), size(length)) else {
            return Err(format!("its header says {rows} rows of {length} numbers"));
        };
        let block = count.saturating_mul(length).saturating_mul(4);
        let rest = bytes.len() - 8;
        let distances = match rest {
            _ if rest == block => None,
            _ if rest == block.saturating_mul(2) => Some(8 + block),
            _ => {
                return Err(format!(
                    "{count} rows of {length} numbers take {block} bytes, or twice as many with distances, and {rest} \
                     follow its header: it is cut off, or something else"
                ));
            }
        };
        let rows = Self { bytes, start: 8, stride: length * 4, count, length, distances, falling: false };
        Ok(Self { falling: rows.is_falling()?, ..rows })
    }

    /// Whether distances fall within rows, and so are similarities: inner products, for instance.
    fn is_falling(&self) -> Result<bool, String> {
        let Some(start) = self.distances else { return Ok(false) };
        let (mut rises, mut falls) = (None, None);
        for row in 0..self.count {
            let of_row = |place: usize| self.distance(start, row, place);
            rises = rises.or_else(|| (1..self.length).any(|at| of_row(at - 1) < of_row(at)).then_some(row));
            falls = falls.or_else(|| (1..self.length).any(|at| of_row(at - 1) > of_row(at)).then_some(row));
        }
        match (rises, falls) {
            (Some(rises), Some(falls)) => Err(format!(
                "distances rise within row {rises} and fall within row {falls}: its neighbours stand in no order"
            )),
            (_, falls) => Ok(falls.is_some()),
        }
    }

    fn distance(&self, start: usize, row: usize, place: usize) -> f64 {
        let bits = number(&self.bytes, start + row * self.stride + place * 4).unwrap_or_default();
        f64::from(f32::from_bits(bits.cast_unsigned()))
    }

    /// The row of a query.
    fn row_of(&self, id: &str) -> Result<usize, String> {
        let row = id.parse::<usize>().ok().filter(|row| *row < self.count && row.to_string() == id);
        row.ok_or_else(|| {
            let last = self.count - 1;
            format!("query {} is none of its rows: their queries have the ids 0 to {last}", Quoted(id))
        })
    }

    fn truth(&self, row: usize) -> Result<TrueNeighbours, String> {
        let start = self.start + row * self.stride;
        let mut ids = Vec::with_capacity(self.length);
        for place in 0..self.length {
            let id = number(&self.bytes, start + place * 4).unwrap_or(-1);
            check_number(i64::from(id))
                .map_err(|why| format!("row {row} names {id} as neighbour {}: {why}", place + 1))?;
            ids.push(id.to_string());
        }
        let truth = match self.distances {
            None => TrueNeighbours::by_rank(ids),
            Some(start) => {
                let sign = if self.falling { -1.0 } else { 1.0 };
                let far = |place: usize| sign * self.distance(start, row, place);
                TrueNeighbours::new(ids.into_iter().enumerate().map(|(place, id)| (id, far(place))))
            }
        };
        truth.map_err(|error| format!("row {row}: {error}"))
    }
}

/// Refuses what is no number of a row.
fn check_number(id: i64) -> Result<(), &'static str> {
    match id {
        -1 => Err(
            "that is padding and no document. Where a filter leaves fewer neighbours, write a run, whose lists may end \
             earlier, and say `filtered: true`",
        ),
        ..-1 => Err("numbers of documents are 0 or more"),
        0.. => Ok(()),
    }
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(i32::from_le_bytes(four.try_into().ok()?))
}

fn cut(bytes: usize, rows: usize, stride: usize) -> Result<(), String> {
    match bytes - rows * stride {
        0 => Ok(()),
        rest => Err(format!("row {rows} ends after {rest} of {stride} bytes: the file is cut off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, numbers: &[i32]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn read_numbers(name: &str, numbers: &[i32], query: &str) -> Result<Vec<(String, Option<f64>)>, String> {
        let (_folder, path) = file(name, numbers);
        let format = Format::recognise(&path).unwrap();
        let all = read(&path, format, &[Query::new(query, "")]).map_err(|error| {
            error.to_string().split_once(": ").map(|(_, message)| message.to_owned()).unwrap()
        })?;
        Ok(all[query].iter().map(|(id, distance)| (id.to_owned(), distance)).collect())
    }

    #[test]
    fn rows_are_of_queries_by_number() {
        let ids = |row: Vec<(String, Option<f64>)>| row.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(read_numbers("gt.ivecs", &[2, 7, 3, 2, 5, 6], "1").unwrap()), ["5", "6"]);
        assert_eq!(ids(read_numbers("gt.ibin", &[2, 2, 7, 3, 5, 6], "0").unwrap()), ["7", "3"]);
        let far = |distance: f32| distance.to_bits().cast_signed();
        let with_distances = [1, 2, 7, 3, far(0.5), far(1.5)];
        let expected = [("7".to_owned(), Some(0.5)), ("3".to_owned(), Some(1.5))];
        assert_eq!(read_numbers("gt.ibin", &with_distances, "0").unwrap(), expected);
    }

    /// Inner products fall from the nearest on, and distances rise.
    #[test]
    fn distances_that_fall_are_similarities_and_those_in_no_order_are_an_error() {
        let file = |distances: [f32; 4]| {
            let distances = distances.map(|distance| distance.to_bits().cast_signed());
            [&[2, 2, 7, 3, 5, 6][..], &distances].concat()
        };
        let expected = [("7".to_owned(), Some(-3.5)), ("3".to_owned(), Some(-1.5))];
        assert_eq!(read_numbers("gt.ibin", &file([3.5, 1.5, 2.0, 2.0]), "0").unwrap(), expected);
        let expected = [("5".to_owned(), Some(2.0)), ("6".to_owned(), Some(2.0))];
        assert_eq!(read_numbers("gt.ibin", &file([2.0; 4]), "1").unwrap(), expected);
        assert_eq!(
            read_numbers("gt.ibin", &file([1.5, 3.5, 2.0, 1.0]), "0").unwrap_err(),
            "distances rise within row 0 and fall within row 1: its neighbours stand in no order"
        );
    }

    #[test]
    fn padding_in_truth_is_an_error() {
        for (numbers, expected) in [
            ([7, 3, -1], "row 0 names -1 as neighbour 3: that is padding and no document"),
            ([7, -1_000_000, 3], "row 0 names -1000000 as neighbour 2: numbers of documents are 0 or more"),
        ] {
            for (name, header) in [("gt.ivecs", &[3][..]), ("gt.ibin", &[1, 3])] {
                let error = read_numbers(name, &[header, &numbers].concat(), "0").unwrap_err();
                assert!(error.starts_with(expected), "{error}");
            }
        }
    }

    #[test]
    fn files_that_are_cut_off_or_something_else_are_errors() {
        // file, its numbers, query, what is wrong
        for (name, numbers, query, expected) in [
            ("gt.ivecs", &[2, 7, 3, 2, 5][..], "0", "row 1 ends after 8 of 12 bytes: the file is cut off"),
            ("gt.ivecs", &[2, 7, 3, 3, 5, 6], "0", "row 1 says that it has 3 numbers, and row 0 has 2"),
            ("gt.ivecs", &[-4, 7], "0", "row 0 says that it has -4 numbers"),
            ("gt.ivecs", &[], "0", "it is empty: no row of neighbours begins"),
            ("gt.ibin", &[2], "0", "it ends within its header of 8 bytes"),
            ("gt.ibin", &[0, 2], "0", "its header says 0 rows of 2 numbers"),
            (
                "gt.ibin",
                &[2, 2, 7, 3, 5],
                "0",
                "2 rows of 2 numbers take 16 bytes, or twice as many with distances, and 12 follow",
            ),
            ("gt.ibin", &[i32::MAX, i32::MAX, 7], "0", "bytes, or twice as many"),
            (
                "gt.ibin",
                &[1, 2, 7, 3],
                "1",
                "query `1` is none of its rows: their queries have the ids 0 to 0",
            ),
            ("gt.ibin", &[1, 2, 7, 3], "q0", "query `q0` is none of its rows"),
            ("gt.ibin", &[1, 2, 7, 3], "+0", "query `+0` is none of its rows"),
            ("gt.ibin", &[1, 2, 7, 7], "0", "row 0: `7` is a neighbour twice"),
            (
                "gt.ibin",
                &[1, 1, 7, f32::NAN.to_bits().cast_signed()],
                "0",
                "row 0: the distance of `7` is NaN",
            ),
        ] {
            let error = read_numbers(name, numbers, query).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
