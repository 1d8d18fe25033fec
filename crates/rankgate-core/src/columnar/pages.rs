//! How large the pages of a Parquet file are, before any is read: a page is decompressed whole, and a few kilobytes may
//! say that it has a gigabyte.

use std::io::{self, BufRead, Read, Seek};

/// What the header of a page says.
struct Page {
    uncompressed: u64,
    compressed: u64,
}

/// The largest page of a column chunk of so many bytes, from where `from` stands, decompressed; 0 where there is none.
///
/// # Errors
/// What cannot be read, or is no header of a page.
pub(super) fn largest(from: &mut (impl BufRead + Seek), length: u64) -> io::Result<u64> {
    let start = from.stream_position()?;
    let end = start.saturating_add(length);
    let mut largest = 0;
    while from.stream_position()? < end {
        let page = header(from)?;
        largest = largest.max(page.uncompressed);
        skip(from, page.compressed)?;
    }
    Ok(largest)
}

/// A header is a struct of Thrift, in its compact protocol: fields 2 and 3 are the sizes, and all others are passed over.
fn header(from: &mut (impl BufRead + Seek)) -> io::Result<Page> {
    let (mut id, mut uncompressed, mut compressed) = (0, None, None);
    while let Some(kind) = field(from, &mut id)? {
        match (id, kind) {
            (2, I32) => uncompressed = Some(size(from)?),
            (3, I32) => compressed = Some(size(from)?),
            _ => pass(from, kind, 0)?,
        }
    }
    match (uncompressed, compressed) {
        (Some(uncompressed), Some(compressed)) => Ok(Page { uncompressed, compressed }),
        _ => Err(malformed()),
    }
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// The type of the next field, whose number comes to stand in `id`; `None` at the end of the struct.
fn field(from: &mut impl Read, id: &mut i64) -> io::Result<Option<u8>> {
    let head = byte(from)?;
    if head == 0 {
        return Ok(None);
    }
    *id = match head >> 4 {
        0 => zigzag(varint(from)?),
        more => *id + i64::from(more),
    };
    Ok(Some(head & 0xf))
}

/// Passes over a value. Headers have structs in structs, and no more.
fn pass(from: &mut (impl BufRead + Seek), kind: u8, depth: usize) -> io::Result<()> {
    const DEEPEST: usize = 8;
    match kind {
        TRUE | FALSE => Ok(()),
        I8 => byte(from).map(drop),
        I16 | I32 | I64 => varint(from).map(drop),
        DOUBLE => skip(from, 8),
        BINARY => {
            let length = varint(from)?;
            skip(from, length)
        }
        LIST | SET if depth < DEEPEST => {
            let head = byte(from)?;
            let count = if head >> 4 == 15 { varint(from)? } else { u64::from(head >> 4) };
            // Truth values take a byte here.
            let kind = if matches!(head & 0xf, TRUE | FALSE) { I8 } else { head & 0xf };
            (0..count).try_for_each(|_| pass(from, kind, depth + 1))
        }
        STRUCT if depth < DEEPEST => {
            let mut id = 0;
            while let Some(kind) = field(from, &mut id)? {
                pass(from, kind, depth + 1)?;
            }
            Ok(())
        }
        _ => Err(malformed()),
    }
}

fn size(from: &mut impl Read) -> io::Result<u64> {
    u64::try_from(zigzag(varint(from)?)).map_err(|_| malformed())
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn varint(from: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(from)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(malformed())
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte).map(|()| byte[0])
}

/// Goes on by so many bytes, within what has been read ahead where that is far enough.
fn skip(from: &mut (impl BufRead + Seek), count: u64) -> io::Result<()> {
    let ahead = from.fill_buf()?.len();
    match usize::try_from(count) {
        Ok(count) if count <= ahead => from.consume(count),
        _ => {
            let count = i64::try_from(count).map_err(|_| malformed())?;
            from.seek(io::SeekFrom::Current(count))?;
        }
    }
    Ok(())
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no header of a page")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A data page of 300 bytes, 5 of them in the file, with statistics: `id << 4 | type` for each field, numbers twice
    /// as large for their sign, worked by hand from the specification of the compact protocol.
    const DATA: [u8; 26] = [
        0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c, 0x15, 6, 0x15, 0, 0x15, 6, 0x15, 6, 0x1c, 0x18, 1, b'a',
        0x11, 0, 0, 0, 9, 9,
    ];

    #[test]
    fn the_sizes_of_pages_are_those_of_their_headers() {
        let mut page = DATA[..24].to_vec();
        page.extend([9; 5]);
        let mut small = vec![0x15, 4, 0x15, 14, 0x15, 4, 0];
        small.extend([9; 2]);
        for pages in [vec![&page], vec![&small, &page], vec![&page, &small]] {
            let bytes: Vec<u8> = pages.into_iter().flatten().copied().collect();
            let length = bytes.len() as u64;
            assert_eq!(largest(&mut Cursor::new(bytes), length).unwrap(), 300);
        }
        assert_eq!(largest(&mut Cursor::new(small), 9).unwrap(), 7);
        assert_eq!(largest(&mut Cursor::new(Vec::<u8>::new()), 0).unwrap(), 0);
    }

    #[test]
    fn what_is_no_header_is_an_error_and_ends() {
        for length in 0..24 {
            assert!(largest(&mut Cursor::new(&DATA[..length]), 24).is_err(), "{length}");
        }
        let mut state = 1_u64;
        for _ in 0..2000 {
            let bytes: Vec<u8> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .take(60)
            .collect();
            drop(largest(&mut Cursor::new(bytes), 60));
        }
    }
}
