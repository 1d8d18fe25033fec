//! Answers that a model gave with what was retrieved, and the claims by which they are judged.
//!
//! [`Answers`] is a file of them. Which claims each metric asks about, and what a judge's file says of them, `look` tells
//! by query; nothing is asked here.

mod answerer;
mod answers;
mod look;
#[cfg(test)]
mod tests;

#[cfg(feature = "http")]
pub(crate) use self::answerer::ServiceAnswerer;
pub use self::answerer::{Answerer, Answerers};
pub(crate) use self::answerer::{ProgramAnswerer, answer};
pub use self::answers::Answers;
pub(crate) use self::look::{
    AnswerMetric, Counts, Given, LeftOut, Look, Looker, Piece, PieceState, Shown, Wanted, check_reference,
};
pub use crate::retriever::said::{Answer, Context};
