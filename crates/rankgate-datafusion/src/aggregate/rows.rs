//! The rows of one query as they travel between partitions and machines: bytes, one row after the other.

use datafusion::common::{Result, exec_err, internal_datafusion_err};

const RETRIEVED: u8 = b'r';
const JUDGED: u8 = b'j';

/// One row of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Row<'a> {
    /// A document of the run with its score or rank.
    Retrieved(&'a str, f64),
    /// A judged document with its grade.
    Judged(&'a str, i32),
}

/// Appends a row: its side, the value, the length of the document's id and the id.
pub(super) fn push(rows: &mut Vec<u8>, row: Row<'_>) -> Result<()> {
    let (side, value, document) = match row {
        Row::Retrieved(document, score) => (RETRIEVED, score.to_bits(), document),
        // Through u32, so that a negative grade has no sign bits of 64.
        Row::Judged(document, grade) => (JUDGED, u64::from(grade.cast_unsigned()), document),
    };
    let Ok(length) = u32::try_from(document.len()) else {
        return exec_err!("rank_eval: a document id of {} bytes is too long", document.len());
    };
    rows.reserve(HEAD + document.len());
    rows.push(side);
    rows.extend_from_slice(&value.to_le_bytes());
    rows.extend_from_slice(&length.to_le_bytes());
    rows.extend_from_slice(document.as_bytes());
    Ok(())
}

/// Bytes before the id.
const HEAD: usize = 1 + 8 + 4;

/// Reads rows one after the other.
pub(super) struct Rows<'a>(pub(super) &'a [u8]);

impl<'a> Rows<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    fn row(&mut self) -> Option<Row<'a>> {
        let [side] = self.take()?;
        let value = u64::from_le_bytes(self.take()?);
        let length = usize::try_from(u32::from_le_bytes(self.take()?)).ok()?;
        let (document, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let document = std::str::from_utf8(document).ok()?;
        match side {
            RETRIEVED => Some(Row::Retrieved(document, f64::from_bits(value))),
            JUDGED => Some(Row::Judged(document, u32::try_from(value).ok()?.cast_signed())),
            _ => None,
        }
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Result<Row<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let row = self.row();
        if row.is_none() {
            self.0 = &[];
        }
        Some(row.ok_or_else(|| internal_datafusion_err!("rank_eval: a state that rank_eval did not write")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in() {
        let rows = [
            Row::Retrieved("d1", -0.0),
            Row::Judged("", -3),
            Row::Judged("ö", i32::MAX),
            Row::Retrieved("d", 1e300),
        ];
        let mut bytes = Vec::new();
        for row in rows {
            push(&mut bytes, row).unwrap();
        }
        assert_eq!(Rows(&bytes).collect::<Result<Vec<_>>>().unwrap(), rows);
        // Cut anywhere, it is an error or fewer rows, and never other rows.
        for cut in 0..bytes.len() {
            let read: Vec<_> = Rows(&bytes[..cut]).collect();
            assert!(read.len() <= rows.len());
            for (read, row) in read.iter().zip(&rows) {
                assert!(read.as_ref().is_err() || read.as_ref().is_ok_and(|read| read == row));
            }
        }
    }
}
