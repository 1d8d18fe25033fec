//! Which vector has which id.

use std::collections::HashMap;
use std::path::Path;

use rankgate_core::internal::neighbours::Base;

use crate::error::Quoted;
use crate::{Error, Result, Vectors, format};

/// The ids of the vectors of a file.
///
/// ```
/// use rankgate_exact::{VectorIds, Vectors};
///
/// let ids = VectorIds::new(&Vectors::new(2, vec![0.0, 0.0, 3.0, 4.0])?)?;
/// assert_eq!((ids.row("1"), ids.row("2"), ids.row("01")), (Some(1), None, None));
/// # Ok::<(), rankgate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct VectorIds {
    name: String,
    rows: Rows,
}

#[derive(Clone, Debug)]
enum Rows {
    /// The ids are the numbers.
    Numbered(usize),
    Named(HashMap<String, usize>),
}

impl VectorIds {
    /// The ids of vectors in memory.
    ///
    /// # Errors
    /// An id twice.
    pub fn new(vectors: &Vectors) -> Result<Self> {
        Self::from_ids(vectors.name().to_owned(), vectors.len(), vectors.ids().map(<[String]>::to_vec))
    }

    /// Reads the ids of a file's vectors, and not the vectors: see [`Vectors::read`] for the formats.
    ///
    /// # Errors
    /// A file that is malformed or cut off, an id twice.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (count, ids) = format::read_ids(path)?;
        Self::from_ids(path.display().to_string(), count, ids)
    }

    fn from_ids(name: String, count: usize, ids: Option<Vec<String>>) -> Result<Self> {
        let Some(ids) = ids else { return Ok(Self { name, rows: Rows::Numbered(count) }) };
        let mut named = HashMap::with_capacity(ids.len());
        for (row, id) in ids.into_iter().enumerate() {
            let id_in_message = Quoted(&id).to_string();
            if let Some(first) = named.insert(id, row) {
                return Err(Error::invalid(format!(
                    "{name}: vectors {first} and {row} have the id {id_in_message}"
                )));
            }
        }
        Ok(Self { name, rows: Rows::Named(named) })
    }

    /// The number of the vector with an id, from 0; `None` where none has it.
    #[must_use]
    pub fn row(&self, id: &str) -> Option<usize> {
        match &self.rows {
            Rows::Numbered(count) => {
                id.parse().ok().filter(|row: &usize| row < count && row.to_string() == id)
            }
            Rows::Named(named) => named.get(id).copied(),
        }
    }
}

impl Base for VectorIds {
    fn contains(&self, id: &str) -> bool {
        self.row(id).is_some()
    }

    fn description(&self) -> String {
        let name = &self.name;
        match &self.rows {
            Rows::Numbered(count) => {
                format!("{name} has the vectors 0 to {}", count.saturating_sub(1))
            }
            // The first in the order of the file, so that the message is the same every time.
            Rows::Named(named) => match named.iter().min_by_key(|(_, row)| **row) {
                Some((id, _)) => {
                    format!("{name} has no vector of that id; its ids are such as {}", Quoted(id))
                }
                None => format!("{name} has no vector"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_without_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.fbin");
        let mut bytes = [3_u32, 1].map(u32::to_le_bytes).concat();
        bytes.extend([1.0_f32, f32::NAN, 2.0].map(f32::to_le_bytes).concat());
        std::fs::write(&path, &bytes).unwrap();
        let ids = VectorIds::read(&path).unwrap();
        assert_eq!((ids.row("0"), ids.row("2"), ids.row("3"), ids.row("-1")), (Some(0), Some(2), None, None));
        assert_eq!(ids.description(), format!("{} has the vectors 0 to 2", path.display()));
        std::fs::write(&path, &bytes[..16]).unwrap();
        assert!(VectorIds::read(&path).unwrap_err().to_string().contains("it is cut off"));
    }

    #[test]
    fn an_id_twice_is_an_error() {
        let ids =
            |ids: [&str; 2]| VectorIds::from_ids("base".to_owned(), 2, Some(ids.map(str::to_owned).to_vec()));
        assert_eq!(ids(["a", "a"]).unwrap_err().to_string(), "base: vectors 0 and 1 have the id `a`");
        let ids = ids(["b", "a"]).unwrap();
        assert_eq!((ids.row("a"), ids.contains("c")), (Some(1), false));
        assert_eq!(ids.description(), "base has no vector of that id; its ids are such as `b`");
    }
}
