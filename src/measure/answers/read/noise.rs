//! Wrong claims of an answer that one of its contexts makes: from relevant contexts, or from irrelevant ones alone.

use crate::analysis::Piece;
use crate::collection::Query;
use crate::judge::material;
use crate::measure::answers::counts::Exclusion;

use super::look::{Found, Looker, Question, reference_text, short};
use super::truth::Truth;

/// The contexts from which noise comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Those that support a claim of the reference, each by itself.
    Relevant,
    /// The others, where no relevant one makes the claim as well.
    Irrelevant,
}

/// Claims by their ids.
type Claims = [(String, String)];

/// One context by itself.
struct Single {
    /// From 1.
    rank: usize,
    /// Whether it supports a claim of the reference.
    relevant: Truth,
    /// Of each claim of the answer, what it says.
    pieces: Vec<Piece>,
}

impl Looker<'_> {
    /// Asks what `AnswerCorrectness` and `Faithfulness` ask of the answer's claims. Only where that leaves a claim that is wrong and that
    /// the contexts together support, it asks about each context by itself.
    pub(super) fn noise(
        &self,
        query: &Query,
        text: &str,
        contexts: &[String],
        place: Place,
        wanted: &mut Vec<Question>,
    ) -> Result<Vec<Piece>, Exclusion> {
        let whole = reference_text(query).ok_or(Exclusion::NoReference)?;
        let parts = self.reference(query, wanted)?;
        let claims = match self.claims(query, text, 'a', wanted) {
            Found::Claims(claims) => claims,
            Found::Nothing(piece) => return Ok(vec![piece]),
        };
        let parts = match parts {
            Found::Claims(parts) => parts,
            Found::Nothing(piece) => return Ok(vec![piece]),
        };
        let correct = self.support(query, &claims, std::slice::from_ref(&whole), wanted);
        let held = self.support(query, &claims, contexts, wanted);
        let suspicious =
            |(correct, held): (&Piece, &Piece)| Truth::from_piece(correct).not().and(Truth::from_piece(held));
        let suspicious: Vec<Truth> = correct.iter().zip(&held).map(suspicious).collect();
        let is_asked = suspicious.iter().any(|one| matches!(one, Truth::Yes | Truth::Unknown(_)));
        let singles = match is_asked {
            true => self.singles(query, (&claims, &parts), contexts, place, wanted),
            false => Vec::new(),
        };
        let shown: Vec<String> = std::iter::once(whole).chain(contexts.iter().cloned()).collect();
        let list = short(&material("", &claims, &shown).text);
        let piece = |(at, ((claim, text), suspicious)): (usize, ((String, String), Truth))| {
            let in_relevant = || Truth::any(singles.iter().map(|one| one.relevant.clone().and(one.says(at))));
            let in_irrelevant = || {
                let of = |one: &Single| one.relevant.clone().not().and(one.says(at));
                Truth::any(singles.iter().map(of)).and(in_relevant().not())
            };
            let noise = suspicious.and(match place {
                Place::Relevant => in_relevant(),
                Place::Irrelevant => in_irrelevant(),
            });
            let is_noise = noise == Truth::Yes;
            let source = singles.iter().find(|one| {
                let is_of_place = (one.relevant == Truth::Yes) == (place == Place::Relevant);
                is_noise && is_of_place && one.says(at) == Truth::Yes
            });
            Piece {
                text,
                is_noise,
                verdict: correct[at].verdict,
                context: source.map(|one| one.rank),
                analysis: source.map_or(&correct[at], |one| &one.pieces[at]).analysis.clone(),
                ..noise.piece(format!("noise/{list}/{claim}"))
            }
        };
        Ok(claims.iter().cloned().zip(suspicious).enumerate().map(piece).collect())
    }

    /// What each context says by itself, as far as the place needs it.
    fn singles(
        &self,
        query: &Query,
        (claims, parts): (&Claims, &Claims),
        contexts: &[String],
        place: Place,
        wanted: &mut Vec<Question>,
    ) -> Vec<Single> {
        let mut single = |(rank, context): (usize, &String)| {
            let context = std::slice::from_ref(context);
            let of_reference = self.support(query, parts, context, wanted);
            let relevant = Truth::any(of_reference.iter().map(Truth::from_piece));
            let is_needed = match relevant {
                Truth::Yes | Truth::Unknown(_) => true,
                Truth::No => place == Place::Irrelevant,
                Truth::Missing(_) => false,
            };
            let pieces = if is_needed { self.support(query, claims, context, wanted) } else { Vec::new() };
            Single { rank, relevant, pieces }
        };
        (1..).zip(contexts).map(&mut single).collect()
    }
}

impl Single {
    /// Whether it makes the claim at this place of the answer's.
    fn says(&self, at: usize) -> Truth {
        match (self.pieces.get(at), &self.relevant) {
            (Some(piece), _) => Truth::from_piece(piece),
            // Nobody asks before it is known whether it is relevant; where it is not, a place may have no need to know.
            (None, Truth::Missing(asked)) => Truth::Missing(asked.clone()),
            (None, _) => Truth::No,
        }
    }
}
