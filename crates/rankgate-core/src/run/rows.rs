//! Rows of one query that stand in no file, put into rank order.

use crate::error::Quoted;
use crate::places::Places;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::{Order, Ranking};
use crate::{Error, Result};

/// Puts rows into rank order, one query after the other.
#[derive(Default)]
pub struct Rows {
    answer: Answer,
    seen: Places,
}

impl Rows {
    /// Nothing yet; whether a document that has its query's id is to be taken out.
    pub fn excluding(excluding: bool) -> Self {
        Self { answer: Answer { excluding, ..Answer::default() }, seen: Places::default() }
    }

    /// The ranking of a query of these documents, whose number is the score or the rank, as `order` says.
    ///
    /// # Errors
    ///
    /// A number that is NaN or, as a rank, not whole; a document or a rank that comes twice.
    pub fn rank<'a>(&'a mut self, query: &str, rows: &[(&str, f64)], order: Order) -> Result<Ranking<'a>> {
        self.answer.clear();
        for (document, number) in rows {
            let refused = |what: &str| {
                let (query, document) = (Quoted(query), Quoted(document));
                Error::invalid(format!("query {query}: the {what} of document {document} is {number}"))
            };
            let rank = match order {
                Order::Score if number.is_nan() => return Err(refused("score")),
                Order::Score => 0,
                Order::Rank => integer(*number).ok_or_else(|| refused("rank, a whole number,"))?,
            };
            let pushed = self.answer.push(document, *number, rank, 0);
            pushed.map_err(|TooLong| Error::invalid(format!("query {}: {TOO_LONG}", Quoted(query))))?;
        }
        self.answer.ranking_of_rows(order, query, &mut self.seen)
    }

    /// The ranking of a query of these documents with their scores, in this order.
    pub(super) fn rank_in_order<'a>(&'a mut self, query: &str, rows: &[(&str, f64)]) -> Result<Ranking<'a>> {
        self.answer.clear();
        for (rank, (document, score)) in (1..).zip(rows) {
            let pushed = self.answer.push(document, *score, rank, 0);
            pushed.map_err(|TooLong| Error::invalid(format!("query {}: {TOO_LONG}", Quoted(query))))?;
        }
        self.answer.ranking_of_rows(Order::Rank, query, &mut self.seen)
    }
}

/// A float that is a whole number, where floats still tell such numbers apart.
fn integer(number: f64) -> Option<i64> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    (number.abs() <= EXACT && number.fract() == 0.0).then_some(number as i64)
}
