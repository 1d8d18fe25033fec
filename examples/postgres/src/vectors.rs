//! Vectors without a model: TF-IDF over character trigrams, hashed into a fixed number of dimensions.
//!
//! They know spelling, not meaning: "parcels" is near "parcel" and far from "package". An embedding
//! model would go in this file's place; the rest of the example stays as it is.

/// Turns texts into vectors of length 1, so that the cosine is the similarity.
pub struct Vectors {
    weights: Vec<f32>,
}

impl Vectors {
    /// Learns from all texts how much each dimension tells: one that is in every text tells nothing.
    pub fn learn<'a>(texts: impl IntoIterator<Item = &'a str>, dimensions: usize) -> Self {
        let (mut total, mut containing) = (0.0, vec![0.0_f32; dimensions]);
        for text in texts {
            total += 1.0;
            let counts = counts(text, dimensions);
            for (containing, _) in containing.iter_mut().zip(counts).filter(|(_, count)| *count != 0.0) {
                *containing += 1.0;
            }
        }
        Self { weights: containing.iter().map(|n| ((1.0 + total) / (1.0 + n)).ln()).collect() }
    }

    /// The vector of a text.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = counts(text, self.weights.len());
        for (value, weight) in vector.iter_mut().zip(&self.weights) {
            *value = value.signum() * value.abs().ln_1p() * weight;
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        vector
    }
}

/// How often the trigrams of each dimension occur. Half of the trigrams count negatively, so that those
/// which share a dimension by accident cancel out rather than add up.
fn counts(text: &str, dimensions: usize) -> Vec<f32> {
    let mut counts = vec![0.0; dimensions];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let padded: Vec<char> = format!("<{word}>").chars().collect();
        for trigram in padded.windows(3) {
            let hash = fnv1a(trigram);
            counts[(hash >> 1) as usize % dimensions] += if hash & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
    counts
}

fn fnv1a(trigram: &[char]) -> u64 {
    trigram.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &c| {
        (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3)
    })
}
