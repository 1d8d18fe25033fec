//! Numbers of bytes as people write them.

use std::str::FromStr;

use rankgate_core::{Error, Result};

/// An amount of memory, as a command takes it: `512M`, `2GiB`. The letters are powers of 1024.
///
/// ```
/// use rankgate_datafusion::Memory;
///
/// assert_eq!("512M".parse::<Memory>()?.bytes(), 512 << 20);
/// assert!("512".parse::<Memory>().is_err());
/// # Ok::<(), rankgate_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory(u64);

impl Memory {
    /// As bytes, 1 MiB at least.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Memory {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let shift = match unit.trim().to_ascii_lowercase().as_str() {
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => 0,
        };
        if number.is_empty() || shift == 0 {
            return Err(Error::invalid("a size is a whole number and M, G or T, such as 512M"));
        }
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        let bytes = bytes.ok_or_else(|| Error::invalid(format!("`{text}` is more than a size can be")))?;
        if bytes == 0 { Err(Error::invalid("a size is 1M or more")) } else { Ok(Self(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_of_a_unit() {
        let read = |text: &str| text.parse::<Memory>().map(Memory::bytes).map_err(|error| error.to_string());
        for (text, bytes) in [
            ("1M", 1 << 20),
            ("512 mb", 512 << 20),
            ("2GiB", 2 << 30),
            ("3t", 3 << 40),
            ("16777215T", 16_777_215 << 40),
        ] {
            assert_eq!(read(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "1", "1k", "1.5G", "-1G", "1Gi"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("0G").unwrap_err(), "a size is 1M or more");
        // 2^24 TiB are 2^64 bytes.
        assert_eq!(read("16777216T").unwrap_err(), "`16777216T` is more than a size can be");
    }
}
