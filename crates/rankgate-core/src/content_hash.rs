//! Two kinds of SHA-256: of a file's bytes, which pins the file, and of what a collection says,
//! which stays the same when lines are reordered or a file is compressed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use hmac_sha256::Hash as Sha256;
use serde_json::Value;

use crate::input::open;
use crate::order;
use crate::{Error, Result};

/// The SHA-256 of a file's bytes as they are on disk, in lower-case hexadecimal, as `sha256sum`
/// prints it.
///
/// # Errors
///
/// A file that cannot be read.
pub fn file_sha256(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    let mut file = open(path).map_err(|error| Error::io("cannot open", path, error))?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 64 << 10];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(count) => hasher.update(&block[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("cannot read", path, error)),
        }
    }
}

/// The same of the bytes in these parts.
pub fn bytes_sha256(parts: [&[u8]; 2]) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    hex(&hasher.finalize())
}

/// SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    bytes_sha256([text.as_bytes(), b""])
}

/// So many bytes are hashed at a time.
const TOGETHER: usize = 4 << 10;

/// A hash in the making; lengths go before what they measure, so that nothing runs together.
pub struct Content {
    hash: Sha256,
    /// Bytes are hashed together: one by one takes more time to begin with than to hash.
    waiting: Vec<u8>,
}

impl Content {
    /// Of this kind of content.
    pub fn new(kind: &str) -> Self {
        let mut content = Self { hash: Sha256::new(), waiting: Vec::new() };
        content.text(kind);
        content
    }

    /// Adds a number of things.
    pub fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    /// Adds bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= TOGETHER {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
    }

    /// The hash itself.
    pub fn digest(mut self) -> [u8; 32] {
        self.hash.update(&self.waiting);
        self.hash.finalize()
    }

    /// Adds keys and values, ordered by key.
    pub fn metadata(&mut self, metadata: &BTreeMap<String, Value>) {
        self.count(metadata.len());
        for (key, value) in metadata {
            self.text(key);
            self.value(value);
        }
    }

    /// Adds a value of JSON, objects by key.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.text("null"),
            Value::Bool(flag) => self.text(if *flag { "true" } else { "false" }),
            Value::Number(number) => {
                self.text("number");
                self.text(&number.to_string());
            }
            Value::String(text) => {
                self.text("string");
                self.text(text);
            }
            Value::Array(values) => {
                self.text("array");
                self.count(values.len());
                values.iter().for_each(|value| self.value(value));
            }
            Value::Object(entries) => {
                // Sorted here, because serde_json keeps the order of the file when any crate of
                // the build asks it to.
                let mut entries: Vec<_> = entries.iter().collect();
                order::sort_by_key(&mut entries, |(key, _)| *key);
                self.text("object");
                self.count(entries.len());
                for (key, value) in entries {
                    self.text(key);
                    self.value(value);
                }
            }
        }
    }

    /// A score, to its last bit.
    pub fn score(&mut self, score: f64) {
        self.bytes(&score.to_le_bytes());
    }

    /// In lower-case hexadecimal.
    pub fn finish(self) -> String {
        hex(&self.digest())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_hash_is_what_sha256sum_prints() {
        // FIPS 180-2, appendix B.1.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(file_sha256(&path).unwrap(), expected);
        assert!(file_sha256(dir.path()).is_err());
    }

    #[test]
    fn values_that_look_alike_hash_differently() {
        let hash = |value: Value| {
            let mut content = Content::new("test");
            content.metadata(&BTreeMap::from([("k".to_owned(), value)]));
            content.finish()
        };
        let values = [
            Value::Null,
            "null".into(),
            1.into(),
            "1".into(),
            serde_json::json!([1]),
            serde_json::json!({"1": 1}),
        ];
        let hashes: std::collections::HashSet<_> = values.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), 6);
    }
}
