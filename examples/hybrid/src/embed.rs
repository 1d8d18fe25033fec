//! From a text to a point.

use std::path::Path;

use ndarray::Axis;
use tokenizers::{Tokenizer, TruncationParams};

use crate::Error;
use crate::bert::Bert;

/// Tokens of a text that count, as the model's sentence_bert_config.json says.
const LONGEST: usize = 256;

/// A sentence embedding model.
pub struct Embedder {
    tokenizer: Tokenizer,
    bert: Bert,
}

impl Embedder {
    /// Reads tokenizer.json and model.safetensors.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        // The file asks for 128 tokens, short texts filled up.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(TruncationParams { max_length: LONGEST, ..Default::default() }))?;
        let weights = folder.join("model.safetensors");
        let bytes = std::fs::read(&weights).map_err(|error| format!("{}: {error}", weights.display()))?;
        Ok(Self { tokenizer, bert: Bert::read(&bytes)? })
    }

    /// The mean over the tokens, scaled to length 1.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, Error> {
        let tokens = self.tokenizer.encode(text, true)?;
        let hidden = self.bert.encode(tokens.get_ids());
        let mean = hidden.sum_axis(Axis(0)) / hidden.nrows() as f32;
        let length = mean.dot(&mean).sqrt();
        Ok((mean / length).to_vec())
    }
}
