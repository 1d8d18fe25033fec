//! What was understood of an answer: a grade, a list, or the reason why there is neither.

use super::claim::Claim;
use crate::gate::State;

/// What was understood of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What became of it.
    pub state: State,
    /// Of a graded one.
    pub grade: Option<u8>,
    /// What the model wrote before its grade; nothing is read out of it.
    pub analysis: String,
    /// From 0 to 1, where the prompt demands it.
    pub confidence: Option<f64>,
    /// Where the prompt demands a list.
    pub claims: Option<Vec<Claim>>,
}

impl Answer {
    /// One without grade and list, and the text that says why.
    pub(super) fn new(state: State, analysis: impl Into<String>) -> Self {
        Self { state, grade: None, analysis: analysis.into(), confidence: None, claims: None }
    }

    /// A grade.
    #[must_use]
    pub fn graded(grade: u8) -> Self {
        Self { grade: Some(grade), state: State::Graded, ..Self::abstained() }
    }

    /// A list: the claims of a text, or a verdict on each claim of the question, in that order.
    #[must_use]
    pub fn listed(claims: impl IntoIterator<Item = Claim>) -> Self {
        Self { state: State::Graded, claims: Some(claims.into_iter().collect()), ..Self::abstained() }
    }

    /// The judge cannot tell.
    #[must_use]
    pub fn abstained() -> Self {
        Self::new(State::Abstained, String::new())
    }

    /// The same for this reason, which is kept beside the grade.
    #[must_use]
    pub fn because(mut self, analysis: impl Into<String>) -> Self {
        self.analysis = analysis.into();
        self
    }
}
