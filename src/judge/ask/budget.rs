//! What asking may cost: a request goes out only where its worst case is still within.

use std::sync::{Mutex, PoisonError};

use super::super::answer::Usage;

/// What one run may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Requests, repetitions included.
    pub requests: Option<u64>,
    /// In the currency of the prices.
    pub cost: Option<f64>,
    /// For a million tokens.
    pub prices: Option<Prices>,
}

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Of those that are read.
    pub read: f64,
    /// Of those that are written.
    pub written: f64,
}

impl Prices {
    /// What so many tokens cost.
    #[must_use]
    pub fn of(&self, [read, written]: [u64; 2]) -> f64 {
        (read as f64 * self.read + written as f64 * self.written) / 1e6
    }
}

/// Tokens of so many bytes, before a server has counted any: three bytes are a token of most languages' text.
const TOKENS_A_BYTE: f64 = 1.0 / 3.0;
/// Tokens of an answer whose length nothing limits.
const ANSWER: u64 = 1_000;

/// Tokens that a prompt of so many bytes is expected to have.
#[must_use]
pub fn expected_tokens(bytes: u64) -> u64 {
    (bytes as f64 * TOKENS_A_BYTE).ceil() as u64
}

/// What was spent, and what requests under way may cost.
#[derive(Debug)]
pub(super) struct Account {
    budget: Budget,
    /// Tokens of an answer at most.
    longest: u64,
    spent: Mutex<Spent>,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    requests: u64,
    tokens: [u64; 2],
    /// The worst case of what is under way.
    reserved: [u64; 2],
    /// The most tokens a byte that a server counted.
    density: f64,
}

/// The worst case of a request that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserved {
    tokens: [u64; 2],
    bytes: u64,
}

impl Account {
    pub(super) fn new(budget: Budget, longest: Option<u64>) -> Self {
        let spent = Spent { requests: 0, tokens: [0; 2], reserved: [0; 2], density: TOKENS_A_BYTE };
        Self { budget, longest: longest.unwrap_or(ANSWER), spent: Mutex::new(spent) }
    }

    /// Takes one request with a prompt of so many bytes.
    ///
    /// # Errors
    /// What it would exceed.
    pub(super) fn take(&self, bytes: u64) -> Result<Reserved, String> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = self.budget.requests.filter(|most| spent.requests >= *most) {
            return Err(format!("the budget of {most} requests is used up"));
        }
        let worst = [(bytes as f64 * spent.density).ceil() as u64, self.longest];
        if let (Some(most), Some(prices)) = (self.budget.cost, self.budget.prices) {
            let sum = |at: usize| spent.tokens[at] + spent.reserved[at] + worst[at];
            let so_far = prices.of(spent.tokens);
            if prices.of([sum(0), sum(1)]) > most {
                return Err(format!(
                    "the next request might exceed the budget: {so_far:.2} of {most:.2} are spent"
                ));
            }
        }
        spent.requests += 1;
        (0..2).for_each(|at| spent.reserved[at] += worst[at]);
        Ok(Reserved { tokens: worst, bytes })
    }

    /// Puts what a request did cost in place of its worst case: as the server counted, else nothing where it was not
    /// answered, and the worst where it may have been.
    pub(super) fn settle(&self, reserved: Reserved, usage: Option<Usage>, answered: bool) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let used = match usage {
            Some(usage) => [usage.prompt_tokens, usage.completion_tokens],
            None if answered => reserved.tokens,
            None => [0; 2],
        };
        (0..2).for_each(|at| {
            spent.reserved[at] -= reserved.tokens[at];
            spent.tokens[at] += used[at];
        });
        if let Some(usage) = usage.filter(|_| reserved.bytes > 0) {
            spent.density = spent.density.max(usage.prompt_tokens as f64 / reserved.bytes as f64);
        }
    }

    /// Requests, tokens read and written, and what they cost where prices are known.
    pub(super) fn so_far(&self) -> (u64, [u64; 2], Option<f64>) {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        (spent.requests, spent.tokens, self.budget.prices.map(|prices| prices.of(spent.tokens)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt_tokens: u64, completion_tokens: u64) -> Option<Usage> {
        Some(Usage { prompt_tokens, completion_tokens })
    }

    #[test]
    fn a_budget_stops_before_and_not_after() {
        // A request of 300 bytes costs at worst 100 tokens at 10 a million and 50 at 20: 0.002.
        let prices = Some(Prices { read: 10.0, written: 20.0 });
        let account = Account::new(Budget { cost: Some(0.005), prices, requests: None }, Some(50));
        let (first, second) = (account.take(300).unwrap(), account.take(300).unwrap());
        let refused = account.take(300).unwrap_err();
        assert!(refused.starts_with("the next request might exceed the budget: 0.00 of 0.01"), "{refused}");
        // They cost less than they might have: there is room for one more.
        account.settle(first, usage(60, 10), true);
        account.settle(second, None, false);
        assert_eq!(account.so_far(), (2, [60, 10], Some(0.0008)));
        let third = account.take(300).unwrap();
        // Tokens turn out to be shorter: from now on as many bytes have more of them.
        account.settle(third, usage(200, 10), true);
        assert!(account.take(300).is_err());
        assert!(account.so_far().2.unwrap() <= 0.005);
    }

    #[test]
    fn requests_are_counted_with_their_repetitions() {
        let account = Account::new(Budget { requests: Some(2), ..Budget::default() }, None);
        let first = account.take(9).unwrap();
        account.settle(first, None, false);
        account.settle(account.take(9).unwrap(), None, true);
        assert_eq!(account.take(9).unwrap_err(), "the budget of 2 requests is used up");
        assert_eq!(account.so_far(), (2, [3, ANSWER], None));
    }
}
