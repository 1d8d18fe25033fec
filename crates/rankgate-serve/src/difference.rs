//! Bytes as what they differ by from other bytes that are kept.

use std::io::{self, Read, Write};

use zstd::stream::{read, write};

/// A quick level: what is the same is found by long distances.
const LEVEL: i32 = 3;
/// The window has room for both sides, up to 128 MiB, which every decompressor takes.
const WINDOWS: [u32; 2] = [10, 27];

/// What these bytes differ by from a base, compressed, as `zstd --patch-from` does it.
pub(crate) fn difference(base: &[u8], bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = write::Encoder::with_ref_prefix(Vec::new(), LEVEL, base)?;
    let window = (base.len() + bytes.len()).next_power_of_two().ilog2();
    encoder.window_log(window.clamp(WINDOWS[0], WINDOWS[1]))?;
    encoder.long_distance_matching(true)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The bytes again; `size` is how many they are.
pub(crate) fn restore(base: &[u8], difference: &[u8], size: usize) -> io::Result<Vec<u8>> {
    let decoder = read::Decoder::with_ref_prefix(difference, base)?;
    let mut bytes = Vec::new();
    decoder.take(size as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() != size {
        return Err(io::Error::other(format!("it is not of {size} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many lines of JSON that compress badly by themselves.
    fn report(lines: u64) -> Vec<u8> {
        let line = |at: u64| {
            format!("{{\"query\":\"q{at}\",\"score\":0.{}}},", at.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        };
        (1..=lines).map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn what_hardly_differs_takes_hardly_any_room() {
        for lines in [1, 2_000, 60_000] {
            let base = report(lines);
            let mut other = base.clone();
            let middle = other.len() / 2;
            other[middle] = b'#';
            other.extend_from_slice(b"\"commit\":\"0d5c\"");
            let packed = difference(&base, &other).unwrap();
            assert!(packed.len() < 100 + base.len() / 2_000, "{} of {}", packed.len(), base.len());
            assert_eq!(restore(&base, &packed, other.len()).unwrap(), other);
        }
    }

    #[test]
    fn another_base_or_size_is_an_error_or_other_bytes() {
        let (base, other) = (report(100), [report(100), b"more".to_vec()].concat());
        let packed = difference(&base, &other).unwrap();
        assert!(restore(&base, &packed, other.len() - 1).is_err());
        assert!(restore(&base, &packed[..packed.len() - 1], other.len()).is_err());
        assert!(restore(&report(99), &packed, other.len()).map_or(true, |bytes| bytes != other));
    }
}
