//! What several verdicts of a judge come to together, where some are not known.

use crate::analysis::{Piece, PieceState};

/// The grade of a claim that the contexts support.
const SUPPORTED: u8 = 2;

/// Whether something holds, by verdicts that may be unknown: Kleene's logic of three values, and a fourth one for a question that was
/// not asked yet. A value that is known stays so whatever the unknown verdicts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    /// The judge answered this question, and gave no verdict.
    Unknown(String),
    /// It has not answered this one.
    Missing(String),
}

impl Truth {
    /// Whether a claim is supported.
    pub(super) fn from_piece(piece: &Piece) -> Self {
        match piece.state {
            PieceState::Fixed(grade) | PieceState::Graded(grade) if grade >= SUPPORTED => Self::Yes,
            PieceState::Fixed(_) | PieceState::Graded(_) => Self::No,
            PieceState::Abstained => Self::Unknown(piece.asked.clone()),
            PieceState::Missing => Self::Missing(piece.asked.clone()),
        }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            open => open,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::Missing(asked), _) | (_, Self::Missing(asked)) => Self::Missing(asked),
            (Self::Unknown(asked), _) | (_, Self::Unknown(asked)) => Self::Unknown(asked),
            (Self::No, Self::No) => Self::No,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        self.not().or(other.not()).not()
    }

    /// Whether any of these holds.
    pub(super) fn any(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::No, Self::or)
    }

    /// A claim that counts where this holds, and the question that it waits for.
    pub(super) fn piece(self, id: String) -> Piece {
        let (state, asked) = match self {
            Self::Yes => (PieceState::Graded(SUPPORTED), String::new()),
            Self::No => (PieceState::Graded(0), String::new()),
            Self::Unknown(asked) => (PieceState::Abstained, asked),
            Self::Missing(asked) => (PieceState::Missing, asked),
        };
        Piece { asked, ..Piece::new(id, state) }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, Missing, No, Unknown, Yes};

    #[test]
    fn what_is_known_stays_known_whatever_is_not() {
        let (unknown, missing) = (|| Unknown("u".into()), || Missing("m".into()));
        for (one, other, both, either) in [
            (Yes, Yes, Yes, Yes),
            (Yes, No, No, Yes),
            (No, No, No, No),
            (Yes, unknown(), unknown(), Yes),
            (No, unknown(), No, unknown()),
            (Yes, missing(), missing(), Yes),
            (No, missing(), No, missing()),
            // What is to be asked yet comes before what stays unknown.
            (unknown(), missing(), missing(), missing()),
        ] {
            for (one, other) in [(one.clone(), other.clone()), (other, one)] {
                assert_eq!(one.clone().and(other.clone()), both, "{one:?} and {other:?}");
                assert_eq!(one.clone().or(other.clone()), either, "{one:?} or {other:?}");
            }
        }
        assert_eq!(Truth::any([No, unknown(), Yes].into_iter()), Yes);
        assert_eq!(Truth::any(std::iter::empty()), No);
    }
}
