//! Numbers as files have them.

use half::f16;

/// The numbers of all vectors, one vector after the other.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Float32(Vec<f32>),
    Float16(Vec<f16>),
    Int8(Vec<i8>),
    Uint8(Vec<u8>),
}

impl Data {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Float32(all) => all.len(),
            Self::Float16(all) => all.len(),
            Self::Int8(all) => all.len(),
            Self::Uint8(all) => all.len(),
        }
    }
}
