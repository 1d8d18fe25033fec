//! Truth as rows of numbers: `.ivecs` of the TEXMEX data sets, whose rows are of the queries `0`, `1` and so on.

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

/// Whether a file has rows, by its name.
pub(super) fn is(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ivecs")
}

/// The rows of a file. Each begins with its length, 32 bits.
struct Rows {
    bytes: Vec<u8>,
    count: usize,
    /// Numbers in a row.
    length: usize,
}

pub(super) fn read(path: &Path, queries: &[Query]) -> Result<HashMap<String, TrueNeighbours, RandomState>> {
    let wrong = |message: String| Error::in_file(path, message);
    let failed = |error| Error::io("cannot read", path, error);
    let mut bytes = Vec::new();
    open(path).map_err(failed)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(wrong("it is larger than 8 GiB, which no truth is".to_owned()));
    }
    let rows = Rows::new(bytes).map_err(wrong)?;
    let mut by_query = HashMap::default();
    for query in queries {
        let row = rows.row_of(&query.id).map_err(wrong)?;
        by_query.insert(query.id.clone(), rows.truth(row).map_err(wrong)?);
    }
    Ok(by_query)
}

impl Rows {
    fn new(bytes: Vec<u8>) -> Result<Self, String> {
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
        match bytes.len() - count * stride {
            0 => Ok(Self { bytes, count, length }),
            rest => Err(format!("row {count} ends after {rest} of {stride} bytes: the file is cut off")),
        }
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
        let start = row * (self.length + 1) * 4;
        let mut ids = Vec::with_capacity(self.length);
        for place in 1..=self.length {
            let id = number(&self.bytes, start + place * 4).unwrap_or(-1);
            check_number(id).map_err(|why| format!("row {row} names {id} as neighbour {place}: {why}"))?;
            ids.push(id.to_string());
        }
        TrueNeighbours::by_rank(ids).map_err(|error| format!("row {row}: {error}"))
    }
}

/// Refuses what is no number of a row.
fn check_number(id: i32) -> Result<(), &'static str> {
    match id {
        -1 => Err(
            "that is padding and no document. Where a filter leaves fewer neighbours, name the configuration that \
             searches exactly (`reference`)",
        ),
        ..-1 => Err("numbers of documents are 0 or more"),
        0.. => Ok(()),
    }
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(i32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[i32], query: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gt.ivecs");
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        let all = read(&path, &[Query::new(query, "")]).map_err(|error| {
            error.to_string().split_once(": ").map(|(_, message)| message.to_owned()).unwrap()
        })?;
        Ok(all[query].iter().map(|(id, _)| id.to_owned()).collect())
    }

    #[test]
    fn rows_are_of_queries_by_number() {
        assert_eq!(ids(&[2, 7, 3, 2, 5, 6], "1").unwrap(), ["5", "6"]);
        assert_eq!(ids(&[2, 7, 3, 2, 5, 6], "0").unwrap(), ["7", "3"]);
    }

    #[test]
    fn padding_in_truth_is_an_error() {
        for (numbers, expected) in [
            ([3, 7, 3, -1], "row 0 names -1 as neighbour 3: that is padding and no document"),
            (
                [3, 7, -1_000_000, 3],
                "row 0 names -1000000 as neighbour 2: numbers of documents are 0 or more",
            ),
        ] {
            let error = ids(&numbers, "0").unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn files_that_are_cut_off_or_something_else_are_errors() {
        for (numbers, query, expected) in [
            (&[2, 7, 3, 2, 5][..], "0", "row 1 ends after 8 of 12 bytes: the file is cut off"),
            (&[2, 7, 3, 3, 5, 6], "0", "row 1 says that it has 3 numbers, and row 0 has 2"),
            (&[-4, 7], "0", "row 0 says that it has -4 numbers"),
            (&[], "0", "it is empty: no row of neighbours begins"),
            (&[i32::MAX, 7], "0", "row 0 ends after 8 of 8589934592 bytes"),
            (&[2, 7, 3], "1", "query `1` is none of its rows: their queries have the ids 0 to 0"),
            (&[2, 7, 3], "q0", "query `q0` is none of its rows"),
            (&[2, 7, 3], "+0", "query `+0` is none of its rows"),
            (&[2, 7, 7], "0", "row 0: `7` is a neighbour twice"),
        ] {
            let error = ids(numbers, query).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
