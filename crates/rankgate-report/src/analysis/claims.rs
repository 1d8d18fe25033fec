//! Claims of answers, as metrics of answers count them.

use std::sync::Arc;

use crate::gate::Support;

/// How the id of a text begins in which there are no claims: neither all of them nor none is supported.
pub const NO_CLAIMS: &str = "no-claims";

/// A context as the judge is shown it.
#[derive(Clone, Debug)]
pub struct ShownContext {
    pub id: String,
    pub text: String,
}

/// What a query was answered with.
#[derive(Clone, Debug, Default)]
pub struct AnswerWithContexts {
    /// The verdict.
    pub answer: String,
    /// Whether there is no answer, not even an empty one.
    pub is_missing: bool,
    pub contexts: Vec<ShownContext>,
}

/// The state of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceState {
    /// It needs no judge.
    Fixed(u8),
    /// The judge's grade.
    Graded(u8),
    /// The judge answered and gave no verdict.
    Abstained,
    /// The judge has not judged it.
    Missing,
}

/// One claim, nugget or answer that a metric counts.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Made of what the judge was shown: the same text in the same contexts is the same claim.
    pub id: String,
    pub text: String,
    pub state: PieceState,
    /// The verdict of the judge.
    pub verdict: Option<Support>,
    /// Of the contexts, from 1, the one that decides.
    pub context: Option<usize>,
    /// What people are shown to judge it; nothing where there is nothing to judge.
    pub people: String,
    /// The question by which the judge judges it.
    pub asked: String,
    /// What the judge wrote with its verdict.
    pub analysis: Option<Arc<str>>,
    /// Whether it is wrong and comes from a context, where that is counted.
    pub is_noise: bool,
    /// Of an answer that was asked for several times, the repeat that it is judged by, from 0.
    pub repeat: usize,
}

impl Piece {
    /// Before anything is known of it but what it is called.
    pub fn new(id: impl Into<String>, state: PieceState) -> Self {
        Self {
            id: id.into(),
            text: String::new(),
            state,
            verdict: None,
            context: None,
            people: String::new(),
            asked: String::new(),
            analysis: None,
            is_noise: false,
            repeat: 0,
        }
    }
}
