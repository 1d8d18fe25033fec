//! How far two vectors are from each other.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer};

use crate::{Error, Result};

/// How far two vectors are from each other: less is nearer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Euclidean distance, not squared: `l2`.
    #[default]
    L2,
    /// 1 minus the cosine of the angle, from 0 to 2: `cosine`. A vector of length 0 has none.
    Cosine,
    /// Minus the inner product: `inner-product`. It may be below 0, and orders by the largest product.
    InnerProduct,
    /// How many bits differ, of vectors that are bits packed into bytes: `hamming`.
    Hamming,
}

impl Distance {
    const ALL: [Self; 4] = [Self::L2, Self::Cosine, Self::InnerProduct, Self::Hamming];

    /// As specs and the command line write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L2 => "l2",
            Self::Cosine => "cosine",
            Self::InnerProduct => "inner-product",
            Self::Hamming => "hamming",
        }
    }

    /// Between two vectors of one dimension, in double precision, in the order of their numbers.
    pub(crate) fn between(self, a: &[f32], b: &[f32]) -> f64 {
        match self {
            Self::L2 => {
                let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
                a.iter().zip(b).map(square).sum::<f64>().sqrt()
            }
            Self::InnerProduct => -dot(a, b),
            Self::Cosine => (1.0 - dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).max(0.0),
            Self::Hamming => f64::NAN,
        }
    }
}

pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Differing bits of two vectors of bytes.
pub(crate) fn differing_bits(a: &[u8], b: &[u8]) -> u32 {
    let mut bits = 0;
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    bits += a.remainder().iter().zip(b.remainder()).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    for (a, b) in a.zip(b) {
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        bits += (word(a) ^ word(b)).count_ones();
    }
    bits
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Distance {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|distance| distance.as_str() == text).ok_or_else(|| {
            let known = Self::ALL.map(|distance| format!("`{distance}`")).join(", ");
            Error::invalid(format!("unknown distance {}; there are {known}", crate::error::Quoted(text)))
        })
    }
}

impl<'de> Deserialize<'de> for Distance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_worked_by_hand() {
        let (a, b) = ([3.0, 0.0], [0.0, 4.0]);
        assert_eq!(Distance::L2.between(&a, &b), 5.0);
        assert_eq!(Distance::Cosine.between(&a, &b), 1.0);
        assert_eq!(Distance::Cosine.between(&a, &[-1.0, 0.0]), 2.0);
        assert_eq!(Distance::InnerProduct.between(&a, &[2.0, 7.0]), -6.0);
        // 9 bytes: one word, and what is left.
        assert_eq!(differing_bits(&[0xff; 9], &[0x0f; 9]), 36);
    }

    #[test]
    fn names_read_back() {
        for distance in Distance::ALL {
            assert_eq!(distance.to_string().parse::<Distance>().unwrap(), distance);
        }
        let error = "euclid".parse::<Distance>().unwrap_err().to_string();
        assert_eq!(error, "unknown distance `euclid`; there are `l2`, `cosine`, `inner-product`, `hamming`");
    }
}
