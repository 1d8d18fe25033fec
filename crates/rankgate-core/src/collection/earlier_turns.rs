//! The turns before a query, which the queries of a conversation share.

use std::ops::Deref;
use std::sync::Arc;

use crate::collection::Turn;

/// The turns of a conversation before one of its queries, the first one first: a slice of [`Turn`]s.
///
/// All queries of a conversation share one list, of which each sees a beginning: a copy for each turn would take the square
/// of the conversation.
///
/// ```
/// use rankgate::{Query, Turn};
///
/// let mut query = Query::new("c1-2", "And in winter?");
/// query.history = vec![Turn::new("When are you open?", None)].into();
/// query.history.push(Turn::new("On Sundays?", Some("From 10 to 16.".to_owned())));
/// assert_eq!(query.history.len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct EarlierTurns {
    turns: Arc<Vec<Turn>>,
    /// How many of them are before the query.
    length: usize,
}

impl EarlierTurns {
    /// Adds the turn that came last.
    pub fn push(&mut self, turn: Turn) {
        let turns = Arc::make_mut(&mut self.turns);
        turns.truncate(self.length);
        turns.push(turn);
        self.length += 1;
    }

    /// The first so many of these turns.
    pub(super) fn beginning(&self, length: usize) -> Self {
        Self { turns: Arc::clone(&self.turns), length: length.min(self.length) }
    }
}

impl Deref for EarlierTurns {
    type Target = [Turn];

    fn deref(&self) -> &[Turn] {
        &self.turns[..self.length]
    }
}

impl<'a> IntoIterator for &'a EarlierTurns {
    type Item = &'a Turn;
    type IntoIter = std::slice::Iter<'a, Turn>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Turn>> for EarlierTurns {
    fn from(turns: Vec<Turn>) -> Self {
        Self { length: turns.len(), turns: Arc::new(turns) }
    }
}

/// Of what is before the query, whatever comes after it.
impl PartialEq for EarlierTurns {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_shared_until_it_goes_on_by_itself() {
        let turn = |text: &str| Turn::new(text, None);
        let whole: EarlierTurns = vec![turn("a"), turn("b"), turn("c")].into();
        let mut first = whole.beginning(1);
        assert!(Arc::ptr_eq(&first.turns, &whole.turns));
        assert_eq!((first.len(), &*first), (1, &[turn("a")][..]));
        assert_eq!(first, vec![turn("a")].into());
        first.push(turn("x"));
        assert_eq!((&*first, &*whole), (&[turn("a"), turn("x")][..], &[turn("a"), turn("b"), turn("c")][..]));
        assert!(whole.beginning(0).is_empty() && whole.beginning(9).len() == 3);
    }
}
