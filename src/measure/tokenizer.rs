//! Tokenizers of models, as the file `tokenizer.json` has them.

use std::path::Path;
use std::sync::Arc;

use crate::collection::Tokenizer;
use crate::{Error, Result};

#[cfg(feature = "tokenizers")]
mod file {
    use super::{Arc, Error, Path, Result, Tokenizer};
    use crate::content_hash::bytes_sha256;

    /// Beyond this it is no tokenizer: those of the largest vocabularies take some 35 MB.
    const LARGEST: usize = 1 << 30;

    #[derive(Debug)]
    struct File {
        tokenizer: tokenizers::Tokenizer,
        name: String,
    }

    impl Tokenizer for File {
        fn token_ends(&self, text: &str) -> Result<Vec<usize>> {
            let encoding = self.tokenizer.encode(text, false);
            let encoding = encoding.map_err(|error| Error::invalid(error.to_string()))?;
            Ok(encoding.get_offsets().iter().map(|(_, end)| *end).collect())
        }

        fn name(&self) -> &str {
            &self.name
        }
    }

    pub(in crate::measure) fn read(path: &Path) -> Result<Arc<dyn Tokenizer>> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
        let none =
            |error: &dyn std::fmt::Display| Error::in_file(path, format!("it is no tokenizer: {error}"));
        if bytes.len() > LARGEST {
            return Err(none(&"it is larger than 1 GiB"));
        }
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(&bytes).map_err(|error| none(&error))?;
        // A model's input is cut and filled up; a text is counted as it is.
        tokenizer.with_truncation(None).map_err(|error| none(&error))?;
        tokenizer.with_padding(None);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{file} (sha256 {})", &bytes_sha256([&bytes, &[]])[..12]);
        Ok(Arc::new(File { tokenizer, name }))
    }
}

/// Reads a tokenizer.
///
/// # Errors
/// A file that is none.
#[cfg(feature = "tokenizers")]
pub(super) use self::file::read;

#[cfg(not(feature = "tokenizers"))]
pub(super) fn read(path: &Path) -> Result<Arc<dyn Tokenizer>> {
    Err(Error::in_file(
        path,
        "a `tokenizer` needs rankgate's feature `tokenizers`: add it in Cargo.toml, or install the command with it",
    ))
}
