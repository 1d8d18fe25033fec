//! Answers that a model gave with what was retrieved.
//!
//! `Answers` is a file of them (feature `judge`), and an [`Answerer`] is whoever gives them. By which claims they are judged
//! is looked up where they are measured; nothing is asked here.

mod answerer;
#[cfg(feature = "judge")]
mod answers;

pub use self::answerer::{Answerer, Answerers};
#[cfg(feature = "judge")]
pub use self::answers::Answers;
pub use crate::retriever::said::{Answer, Context};
