//! From a text to a point.

use std::path::Path;

use ndarray::Axis;
use tokenizers::{Tokenizer, TruncationParams};

use crate::bert::Bert;
use crate::{Error, VectorCache};

/// Tokens of a text that count, as the model's sentence_bert_config.json says.
const LONGEST: usize = 256;

/// A sentence embedding model.
pub struct Embedder {
    tokenizer: Tokenizer,
    bert: Bert,
    /// The vectors of texts that were embedded before.
    cache: VectorCache,
}

impl Embedder {
    /// Reads tokenizer.json and model.safetensors. Each text is embedded once: its vector is kept in the folder `vectors`.
    pub fn open(folder: &Path, vectors: &Path) -> Result<Self, Error> {
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        // The file asks for 128 tokens, short texts filled up.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(TruncationParams { max_length: LONGEST, ..Default::default() }))?;
        let weights = folder.join("model.safetensors");
        let bytes = std::fs::read(&weights).map_err(|error| format!("{}: {error}", weights.display()))?;
        Ok(Self { tokenizer, bert: Bert::read(&bytes)?, cache: VectorCache::open(vectors, &bytes)? })
    }

    /// The mean over the tokens, scaled to length 1.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, Error> {
        if let Some(vector) = self.cache.get(text) {
            return Ok(vector);
        }
        let tokens = self.tokenizer.encode(text, true)?;
        let hidden = self.bert.encode(tokens.get_ids());
        let mean = hidden.sum_axis(Axis(0)) / hidden.nrows() as f32;
        let length = mean.dot(&mean).sqrt();
        let vector = (mean / length).to_vec();
        self.cache.put(text, &vector)?;
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four of 384 numbers, from `FlaxBertModel` of Hugging Face's transformers 4.49 on the same files,
    /// its mean over the tokens scaled to length 1.
    const REFERENCE: [(&str, [f32; 4]); 3] = [
        ("where is my parcel", [0.046_905, -0.027_040, 0.048_490, -0.040_334]),
        (
            "Déjà vu: naïve café, 日本語 text — and €20 (tax incl.)",
            [-0.038_945, 0.037_267, 0.087_677, -0.034_901],
        ),
        (
            "Returns. You can send anything back within 30 days.",
            [-0.029_758, -0.004_489, 0.027_406, 0.056_346],
        ),
    ];

    #[test]
    fn embeddings_are_those_of_another_implementation() -> Result<(), Error> {
        let Some(folder) = std::env::var_os("MINILM_DIR") else {
            eprintln!("SKIPPED: MINILM_DIR is not set");
            return Ok(());
        };
        let vectors = std::env::temp_dir().join(format!("hybrid-reference-{}", std::process::id()));
        let embedder = Embedder::open(Path::new(&folder), &vectors)?;
        for (text, reference) in REFERENCE {
            let numbers = embedder.embed(text)?;
            assert_eq!(numbers.len(), 384);
            for (number, expected) in numbers.iter().zip(reference) {
                assert!((number - expected).abs() < 1e-5, "{text}: {number} is not {expected}");
            }
            assert_eq!(embedder.embed(text)?, numbers);
        }
        Ok(std::fs::remove_dir_all(vectors)?)
    }
}
