//! Answers that a model gave with what was retrieved.
//!
//! `Answers` is a file of them (feature `judge`), and an [`Answerer`] gives them. The claims by which they are judged
//! are found where they are measured; nothing is asked here.

mod answerer;
#[cfg(feature = "judge")]
mod answers;

pub use self::answerer::{Answerer, Answerers};
#[cfg(feature = "judge")]
pub use self::answers::Answers;
pub use crate::retriever::said::{Answer, CitedSentence, Context};
