//! Claims of an answer that its repeats make: what was answered when the same was asked again.

use crate::analysis::{Piece, PieceState};
use crate::collection::Query;
use crate::measure::answers::counts::Exclusion;
use crate::retriever::said::Answer;

use super::look::{Found, Looker, Question};

impl Looker<'_> {
    /// Asks of each repeat that has other words whether it supports the claims of the first answer.
    pub(super) fn consistency(
        &self,
        query: &Query,
        answer: Option<&Answer>,
        wanted: &mut Vec<Question>,
    ) -> Result<Vec<Piece>, Exclusion> {
        let answer = answer.filter(|answer| !answer.repeats.is_empty()).ok_or(Exclusion::AskedOnce)?;
        let text = answer.text.trim();
        let in_repeat = |repeat: usize, piece: Piece| Piece { repeat, ..piece };
        let claims = match self.claims(query, text, 'a', wanted) {
            Found::Claims(claims) => claims,
            Found::Nothing(piece) => {
                let each = 0..answer.repeats.len();
                return Ok(each.map(|repeat| in_repeat(repeat, piece.clone())).collect());
            }
        };
        let mut pieces = Vec::new();
        for (repeat, other) in answer.repeats.iter().enumerate() {
            let said = other.text.trim();
            // Who declines or says nothing supports nothing; the same words say the same.
            let judged = match said == text && !other.declined {
                true => claims.iter().map(|(id, claim)| same(id, claim)).collect(),
                false => {
                    let context = (!said.is_empty() && !other.declined).then(|| said.to_owned());
                    self.support(query, &claims, context.as_slice(), wanted)
                }
            };
            pieces.extend(judged.into_iter().map(|piece| in_repeat(repeat, piece)));
        }
        Ok(pieces)
    }
}

/// A claim that a repeat makes in the words of the answer.
fn same(id: &str, claim: &str) -> Piece {
    Piece { text: claim.to_owned(), ..Piece::new(format!("same-words/{id}"), PieceState::Fixed(2)) }
}
