//! Vectors of texts that were embedded before, a file each: a test run embeds only what is new.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;

/// A folder of vectors of one model.
pub struct VectorCache(PathBuf);

impl VectorCache {
    /// The vectors of the model with these weights. Another model has a folder of its own.
    pub fn open(folder: &Path, weights: &[u8]) -> Result<Self, Error> {
        let folder = folder.join(format!("{:016x}", hash(weights)));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The vector of a text, as it was kept bit by bit; `None` of a new one.
    pub fn get(&self, text: &str) -> Option<Vec<f32>> {
        let file = std::fs::read(self.file(text)).ok()?;
        // Two texts may have one hash, so that the text stands before its vector.
        let numbers = file.strip_prefix(text.as_bytes())?.strip_prefix(b"\0")?.chunks_exact(4);
        numbers.map(|bytes| Some(f32::from_le_bytes(bytes.try_into().ok()?))).collect()
    }

    /// Keeps the vector of a text. Other processes see all of it or nothing.
    pub fn put(&self, text: &str, vector: &[f32]) -> Result<(), Error> {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let mut file = [text.as_bytes(), b"\0"].concat();
        file.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.0.join(format!("{}-{number}.new", std::process::id()));
        std::fs::write(&unfinished, file)?;
        Ok(std::fs::rename(unfinished, self.file(text))?)
    }

    fn file(&self, text: &str) -> PathBuf {
        self.0.join(format!("{:016x}", hash(text)))
    }
}

/// Another version of Rust may hash otherwise: then everything is embedded anew.
fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_comes_back_bit_by_bit_and_of_its_text_and_model_alone() -> Result<(), Error> {
        let folder = std::env::temp_dir().join(format!("hybrid-vectors-{}", std::process::id()));
        let cache = VectorCache::open(&folder, b"weights")?;
        let vector = [0.1 + 0.2, -0.0, f32::MIN_POSITIVE];
        cache.put("where is my parcel", &vector)?;
        let bits = |vector: &[f32]| vector.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        let kept = cache.get("where is my parcel").unwrap_or_default();
        assert_eq!(bits(&kept), bits(&vector));
        assert_eq!(cache.get("where is my"), None);
        assert_eq!(VectorCache::open(&folder, b"others")?.get("where is my parcel"), None);
        // What has the same hash is told by its text.
        std::fs::copy(cache.file("where is my parcel"), cache.file("refunds"))?;
        assert_eq!(cache.get("refunds"), None);
        Ok(std::fs::remove_dir_all(folder)?)
    }
}
