//! Vectors of one dimension, from a file or from memory.

use std::path::Path;

use crate::data::Data;
use crate::format;
use crate::{Error, Result};

/// Vectors of one dimension, numbered from 0. They are held as the file has them: float16 and int8 take no more memory than
/// there.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// What messages call them.
    name: String,
    dimension: usize,
    data: Data,
    /// Their ids, where the file has some; else these are their numbers.
    ids: Option<Vec<String>>,
}

impl Vectors {
    /// Vectors in memory, one after the other.
    ///
    /// # Errors
    /// A dimension of 0, numbers that are no whole vectors, no vector, a number that is not finite.
    pub fn new(dimension: usize, numbers: Vec<f32>) -> Result<Self> {
        Self::with_data("the vectors".to_owned(), dimension, Data::Float32(numbers), None)
    }

    /// Reads a file by its ending.
    ///
    /// | ending | holds |
    /// |---|---|
    /// | `.fvecs`, `.bvecs`, `.ivecs` | float32, uint8, int32, each vector behind its dimension (TEXMEX) |
    /// | `.fbin`, `.f16bin`, `.u8bin`, `.i8bin`, `.ibin` | float32, float16, uint8, int8, int32 behind the number of vectors and their dimension (big-ann) |
    /// | `.npy` | an array of two dimensions: `<f4`, `<f8`, `<f2`, `\|u1`, `\|i1`, `<i4` |
    /// | `.parquet` | a column of lists, `vector` or `emb`, beside the ids; needs the feature `parquet` |
    ///
    /// # Errors
    /// A file that is malformed or cut off, a number that is not finite, or beyond 2^24 and no float32, another ending.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (dimension, data, ids) = format::read(path)?;
        Self::with_data(path.display().to_string(), dimension, data, ids)
    }

    fn with_data(name: String, dimension: usize, data: Data, ids: Option<Vec<String>>) -> Result<Self> {
        let wrong = |message: String| Err(Error::invalid(format!("{name}: {message}")));
        if dimension == 0 || !data.len().is_multiple_of(dimension) {
            return wrong(format!("{} numbers are no vectors of dimension {dimension}", data.len()));
        }
        let rows = data.len() / dimension;
        if rows == 0 {
            return wrong("there is no vector".to_owned());
        }
        if u32::try_from(rows).is_err() {
            return wrong(format!("{rows} vectors are more than 2^32"));
        }
        let broken = match &data {
            Data::Float32(all) => all.iter().position(|number| !number.is_finite()),
            Data::Float16(all) => all.iter().position(|number| !number.is_finite()),
            Data::Int8(_) | Data::Uint8(_) => None,
        };
        if let Some(at) = broken {
            let vectors = Self { name: name.clone(), dimension, data, ids };
            let number = vectors.row(at / dimension)[at % dimension];
            return wrong(format!("vector {} has {number} at place {}", at / dimension, at % dimension));
        }
        if let Some(ids) = ids.as_ref().filter(|ids| ids.len() != rows) {
            return wrong(format!("{rows} vectors have {} ids", ids.len()));
        }
        Ok(Self { name, dimension, data, ids })
    }

    /// What messages call them: the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many numbers each has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many vectors there are, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is one at least")]
    pub fn len(&self) -> usize {
        self.data.len() / self.dimension
    }

    /// A vector by its number.
    ///
    /// # Panics
    /// A number that no vector has.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<f32> {
        let mut numbers = vec![0.0; self.dimension];
        self.copy_rows(row, &mut numbers);
        numbers
    }

    /// The id of a vector: what the file says, else its number.
    #[must_use]
    pub fn id(&self, row: usize) -> String {
        self.ids.as_ref().and_then(|ids| ids.get(row).cloned()).unwrap_or_else(|| row.to_string())
    }

    /// Their ids, where the file has some.
    #[must_use]
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// Vectors from one on, as many as there is room for.
    pub(crate) fn copy_rows(&self, first: usize, into: &mut [f32]) {
        let range = first * self.dimension..first * self.dimension + into.len();
        match &self.data {
            Data::Float32(all) => into.copy_from_slice(&all[range]),
            Data::Float16(all) => copy(&all[range], into, |number| number.to_f32()),
            Data::Int8(all) => copy(&all[range], into, f32::from),
            Data::Uint8(all) => copy(&all[range], into, f32::from),
        }
    }

    /// The same without a copy, where they are held as float32.
    pub(crate) fn as_floats(&self, first: usize, count: usize) -> Option<&[f32]> {
        match &self.data {
            Data::Float32(all) => Some(&all[first * self.dimension..(first + count) * self.dimension]),
            Data::Float16(_) | Data::Int8(_) | Data::Uint8(_) => None,
        }
    }

    /// All of them as bytes, where they are held so.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Uint8(all) => Some(all),
            Data::Float32(_) | Data::Float16(_) | Data::Int8(_) => None,
        }
    }
}

fn copy<T: Copy>(from: &[T], into: &mut [f32], convert: impl Fn(T) -> f32) {
    for (number, into) in from.iter().zip(into) {
        *into = convert(*number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_vector_is_an_error() {
        for (dimension, numbers, expected) in [
            (0, vec![1.0], "1 numbers are no vectors of dimension 0"),
            (2, vec![1.0; 3], "3 numbers are no vectors of dimension 2"),
            (2, vec![], "there is no vector"),
            (2, vec![1.0, 2.0, 3.0, f32::NAN], "vector 1 has NaN at place 1"),
            (2, vec![f32::INFINITY, 2.0], "vector 0 has inf at place 0"),
        ] {
            let error = Vectors::new(dimension, numbers).unwrap_err().to_string();
            assert_eq!(error, format!("the vectors: {expected}"));
        }
        let vectors = Vectors::new(2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((vectors.len(), vectors.row(1), vectors.id(1)), (2, vec![3.0, 4.0], "1".to_owned()));
    }
}
