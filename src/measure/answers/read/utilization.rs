//! Claims of the reference that the contexts support: those of them that the answer makes.

use crate::analysis::Piece;
use crate::collection::Query;
use crate::measure::answers::counts::Exclusion;

use super::look::{Found, Looker, Question, short};
use super::truth::Truth;

impl Looker<'_> {
    /// Asks what `ContextRecall` asks, and, where the contexts support a claim, what `AnswerCorrectness` asks about the reference.
    pub(super) fn utilization(
        &self,
        query: &Query,
        text: &str,
        contexts: &[String],
        wanted: &mut Vec<Question>,
    ) -> Result<Vec<Piece>, Exclusion> {
        let claims = match self.reference(query, wanted)? {
            Found::Claims(claims) => claims,
            Found::Nothing(piece) => return Ok(vec![piece]),
        };
        let entailed = self.support(query, &claims, contexts, wanted);
        if entailed.iter().all(|piece| Truth::from_piece(piece) == Truth::No) {
            return Err(Exclusion::NothingToUse);
        }
        let answer = (!text.is_empty()).then(|| text.to_owned());
        let is_missing = |piece: &Piece| matches!(Truth::from_piece(piece), Truth::Missing(_));
        let made = match entailed.iter().any(is_missing) {
            // Whether it counts is not known yet.
            true => entailed.clone(),
            false => self.support(query, &claims, answer.as_slice(), wanted),
        };
        let both = entailed.into_iter().zip(made).zip(claims);
        let counted = both.filter_map(|((entailed, made), (claim, _))| {
            let id = format!("utilization/{}/{claim}", short(&format!("{} {}", entailed.asked, made.asked)));
            let counts = match Truth::from_piece(&entailed) {
                Truth::No => return None,
                Truth::Yes => Truth::from_piece(&made),
                // Without a verdict on it the claim may be one that is not counted: it is bounded as any other.
                open => open,
            };
            // What the judge says of the answer; the context is that which supports the claim.
            let (verdict, analysis) = (made.verdict, made.analysis);
            Some(Piece { text: made.text, verdict, context: entailed.context, analysis, ..counts.piece(id) })
        });
        Ok(counted.collect())
    }
}
