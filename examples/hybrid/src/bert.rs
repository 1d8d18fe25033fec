//! The encoder of BERT, one text at a time, on the CPU.

use std::collections::HashMap;

use ndarray::{Array1, Array2, Axis, s};
use safetensors::{Dtype, SafeTensors};

use crate::Error;

/// Of the model all-MiniLM-L6-v2, as its config.json says.
const HEADS: usize = 12;
const EPSILON: f32 = 1e-12;

pub(crate) struct Bert {
    words: Array2<f32>,
    positions: Array2<f32>,
    segment: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

impl Bert {
    /// Takes the bytes of a safetensors file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Error> {
        let mut weights = Weights::read(bytes)?;
        let mut layers = Vec::new();
        while weights.has(&format!("encoder.layer.{}.output.dense.weight", layers.len())) {
            let of = |part: &str| format!("encoder.layer.{}.{part}", layers.len());
            layers.push(Layer {
                query: weights.linear(&of("attention.self.query"))?,
                key: weights.linear(&of("attention.self.key"))?,
                value: weights.linear(&of("attention.self.value"))?,
                mixed: weights.linear(&of("attention.output.dense"))?,
                mixed_norm: weights.norm(&of("attention.output.LayerNorm"))?,
                wide: weights.linear(&of("intermediate.dense"))?,
                narrow: weights.linear(&of("output.dense"))?,
                norm: weights.norm(&of("output.LayerNorm"))?,
            });
        }
        Ok(Self {
            words: weights.matrix("embeddings.word_embeddings.weight")?,
            positions: weights.matrix("embeddings.position_embeddings.weight")?,
            segment: weights.matrix("embeddings.token_type_embeddings.weight")?.row(0).to_owned(),
            norm: weights.norm("embeddings.LayerNorm")?,
            layers,
        })
    }

    /// The last hidden state: one row per token.
    pub(crate) fn encode(&self, tokens: &[u32]) -> Array2<f32> {
        let tokens: Vec<usize> = tokens.iter().map(|&token| token as usize).collect();
        let embedded = self.words.select(Axis(0), &tokens)
            + self.positions.slice(s![..tokens.len(), ..])
            + &self.segment;
        self.layers.iter().fold(self.norm.apply(embedded), |hidden, layer| layer.apply(hidden))
    }
}

impl Layer {
    fn apply(&self, hidden: Array2<f32>) -> Array2<f32> {
        let mixed = self.mixed.apply(&self.attend(&hidden));
        let hidden = self.mixed_norm.apply(hidden + mixed);
        let wide = self.wide.apply(&hidden).mapv_into(gelu);
        let narrow = self.narrow.apply(&wide);
        self.norm.apply(hidden + narrow)
    }

    fn attend(&self, hidden: &Array2<f32>) -> Array2<f32> {
        let (query, key, value) =
            (self.query.apply(hidden), self.key.apply(hidden), self.value.apply(hidden));
        let size = hidden.ncols() / HEADS;
        let mut attended = Array2::zeros(hidden.dim());
        for head in 0..HEADS {
            let of = s![.., head * size..(head + 1) * size];
            let mut scores = query.slice(of).dot(&key.slice(of).t()) / (size as f32).sqrt();
            for mut row in scores.rows_mut() {
                let most = row.fold(f32::NEG_INFINITY, |most, &score| most.max(score));
                row.mapv_inplace(|score| (score - most).exp());
                let sum = row.sum();
                row /= sum;
            }
            attended.slice_mut(of).assign(&scores.dot(&value.slice(of)));
        }
        attended
    }
}

impl Linear {
    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        input.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn apply(&self, mut rows: Array2<f32>) -> Array2<f32> {
        for mut row in rows.rows_mut() {
            let mean = row.sum() / row.len() as f32;
            row -= mean;
            let variance = row.dot(&row) / row.len() as f32;
            row /= (variance + EPSILON).sqrt();
            row *= &self.weight;
            row += &self.bias;
        }
        rows
    }
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x / std::f32::consts::SQRT_2))
}

/// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: off by at most 1.5e-7.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let terms = [1.061_405_4, -1.453_152, 1.421_413_8, -0.284_496_72, 0.254_829_6];
    let sum = terms.iter().fold(0.0, |sum, term| sum * t + term) * t;
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

/// The tensors of a file, by name.
struct Weights(HashMap<String, (Vec<usize>, Vec<f32>)>);

impl Weights {
    fn read(bytes: &[u8]) -> Result<Self, Error> {
        let file = SafeTensors::deserialize(bytes)?;
        let floats = file.iter().filter(|(_, tensor)| tensor.dtype() == Dtype::F32).map(|(name, tensor)| {
            let (floats, _) = tensor.data().as_chunks::<4>();
            let floats = floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            (name.to_owned(), (tensor.shape().to_vec(), floats))
        });
        Ok(Self(floats.collect()))
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn take(&mut self, name: &str) -> Result<(Vec<usize>, Vec<f32>), Error> {
        self.0.remove(name).ok_or_else(|| format!("the model has no tensor `{name}`").into())
    }

    fn matrix(&mut self, name: &str) -> Result<Array2<f32>, Error> {
        let (shape, floats) = self.take(name)?;
        let &[rows, columns] = shape.as_slice() else { return Err(format!("`{name}` is no matrix").into()) };
        Ok(Array2::from_shape_vec((rows, columns), floats)?)
    }

    fn vector(&mut self, name: &str) -> Result<Array1<f32>, Error> {
        Ok(Array1::from_vec(self.take(name)?.1))
    }

    fn linear(&mut self, name: &str) -> Result<Linear, Error> {
        let (weight, bias) = (self.matrix(&format!("{name}.weight"))?, self.vector(&format!("{name}.bias"))?);
        Ok(Linear { weight, bias })
    }

    fn norm(&mut self, name: &str) -> Result<Norm, Error> {
        let (weight, bias) = (self.vector(&format!("{name}.weight"))?, self.vector(&format!("{name}.bias"))?);
        Ok(Norm { weight, bias })
    }
}
