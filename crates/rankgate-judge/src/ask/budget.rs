//! What asking may cost: a request goes out only where its worst case is still within.

use std::sync::{Mutex, PoisonError};

use rankgate::judge::Usage;

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
    pub fn cost(&self, [read, written]: [u64; 2]) -> f64 {
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

/// What questions before these have taken of the same budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Earlier {
    pub(crate) requests: u64,
    /// Read and written.
    pub(crate) tokens: [u64; 2],
}

/// What was spent, and what requests under way may cost.
#[derive(Debug)]
pub(super) struct Account {
    budget: Budget,
    earlier: Earlier,
    /// Tokens of an answer at most.
    longest: u64,
    spent: Mutex<Spent>,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    requests: u64,
    /// Of them, those that have not been made yet.
    ahead: u64,
    tokens: [u64; 2],
    /// The worst case of the requests under way.
    reserved: [u64; 2],
    /// The most tokens a byte that a server counted.
    density: f64,
}

/// What a request may have cost.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    /// It was answered with so many bytes; tokens as the server counted them, if it did.
    Answered { usage: Option<Usage>, written: u64 },
    /// It is unknown whether it was read.
    Perhaps,
    /// It was not.
    Nothing,
}

/// The worst case of a request that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserved {
    tokens: [u64; 2],
    bytes: u64,
}

/// The requests of a question: one that is made at once, and those that follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReservedQuestion {
    pub(super) of_one: Reserved,
    ahead: u64,
}

impl Account {
    pub(super) fn new(budget: Budget, longest: Option<u64>) -> Self {
        let spent = Spent { requests: 0, ahead: 0, tokens: [0; 2], reserved: [0; 2], density: TOKENS_A_BYTE };
        let earlier = Earlier::default();
        Self { budget, earlier, longest: longest.unwrap_or(ANSWER), spent: Mutex::new(spent) }
    }

    /// The same after earlier questions: the budget is one for all.
    pub(super) fn after(self, earlier: Earlier) -> Self {
        Self { earlier, ..self }
    }

    /// Takes one request with a prompt of so many bytes.
    ///
    /// # Errors
    /// What it would exceed.
    pub(super) fn take(&self, bytes: u64) -> Result<Reserved, String> {
        self.take_all(bytes, 1).map(|reserved| reserved.of_one)
    }

    /// Takes all requests of a question, so that the budget does not end between two of them.
    ///
    /// # Errors
    /// What they would exceed.
    pub(super) fn take_all(&self, bytes: u64, requests: u64) -> Result<ReservedQuestion, String> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let next = match requests {
            1 => "next request".to_owned(),
            _ => format!("{requests} requests of the next question"),
        };
        let made = self.earlier.requests.saturating_add(spent.requests);
        if let Some(most) = self.budget.requests.filter(|most| made.saturating_add(requests) > *most) {
            return Err(match most.saturating_sub(made) {
                0 => format!("the budget of {most} requests is used up"),
                _ => format!("the {next} would exceed the budget of {most}"),
            });
        }
        let worst = [(bytes as f64 * spent.density).ceil() as u64, self.longest];
        if let (Some(most), Some(prices)) = (self.budget.cost, self.budget.prices) {
            let tokens = [0, 1].map(|at| self.earlier.tokens[at].saturating_add(spent.tokens[at]));
            let sum = |at: usize| {
                let known = tokens[at].saturating_add(spent.reserved[at]);
                known.saturating_add(worst[at].saturating_mul(requests))
            };
            let so_far = prices.cost(tokens);
            if prices.cost([sum(0), sum(1)]) > most {
                return Err(format!(
                    "the {next} might exceed the budget: {so_far:.2} of {most:.2} are spent"
                ));
            }
        }
        spent.requests += requests;
        spent.ahead += requests - 1;
        // A server may count as many tokens as there are numbers.
        let reserve = |at: usize| spent.reserved[at].saturating_add(worst[at].saturating_mul(requests));
        spent.reserved = [reserve(0), reserve(1)];
        Ok(ReservedQuestion { of_one: Reserved { tokens: worst, bytes }, ahead: requests - 1 })
    }

    /// The next request of a question; `None` where all of them were made.
    pub(super) fn next(&self, question: &mut ReservedQuestion) -> Option<Reserved> {
        question.ahead = question.ahead.checked_sub(1)?;
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).ahead -= 1;
        Some(question.of_one)
    }

    /// Gives back the requests of a question that are not made.
    pub(super) fn release(&self, question: &ReservedQuestion) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.requests -= question.ahead;
        spent.ahead -= question.ahead;
        let release = |at: usize| {
            spent.reserved[at].saturating_sub(question.of_one.tokens[at].saturating_mul(question.ahead))
        };
        spent.reserved = [release(0), release(1)];
    }

    /// Puts what a request did cost in place of its worst case, and says whether the server counted it.
    ///
    /// What a server does not count, or counts as nothing, is counted from the bytes that went out and came back: else a
    /// budget would never be spent. An unanswered request costs nothing, and the worst where it may have been read.
    pub(super) fn settle(&self, reserved: Reserved, cost: Cost) -> bool {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let (used, is_counted) = match cost {
            Cost::Answered { usage, written } => {
                let Usage { prompt_tokens, completion_tokens } = usage.unwrap_or_default();
                if prompt_tokens > 0 && reserved.bytes > 0 {
                    spent.density = spent.density.max(prompt_tokens as f64 / reserved.bytes as f64);
                }
                let by_bytes = |bytes: u64| (bytes as f64 * spent.density).ceil() as u64;
                let both = [(prompt_tokens, reserved.bytes), (completion_tokens, written)];
                let used = both.map(|(tokens, bytes)| if tokens == 0 { by_bytes(bytes) } else { tokens });
                // Who has read or written nothing has counted it as 0.
                (used, both.iter().all(|(tokens, bytes)| *tokens > 0 || *bytes == 0))
            }
            Cost::Perhaps => (reserved.tokens, true),
            Cost::Nothing => ([0; 2], true),
        };
        (0..2).for_each(|at| {
            spent.reserved[at] = spent.reserved[at].saturating_sub(reserved.tokens[at]);
            spent.tokens[at] = spent.tokens[at].saturating_add(used[at]);
        });
        is_counted
    }

    /// Requests, tokens read and written, and what they cost where prices are known.
    pub(super) fn so_far(&self) -> (u64, [u64; 2], Option<f64>) {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        (
            spent.requests - spent.ahead,
            spent.tokens,
            self.budget.prices.map(|prices| prices.cost(spent.tokens)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt_tokens: u64, completion_tokens: u64) -> Cost {
        Cost::Answered { usage: Some(Usage { prompt_tokens, completion_tokens }), written: 60 }
    }

    #[test]
    fn all_kinds_of_questions_have_one_budget() {
        let budget = Budget { requests: Some(5), ..Budget::default() };
        let account = Account::new(budget, None).after(Earlier { requests: 3, tokens: [0; 2] });
        assert!(account.take(30).is_ok() && account.take(30).is_ok());
        assert_eq!(account.take(30).unwrap_err(), "the budget of 5 requests is used up");
        // What is said of these questions is theirs alone.
        assert_eq!(account.so_far().0, 2);
        let prices = Some(Prices { read: 10.0, written: 20.0 });
        let budget = Budget { cost: Some(0.005), prices, requests: None };
        let account = Account::new(budget, Some(50)).after(Earlier { requests: 3, tokens: [300, 60] });
        let refused = account.take(300).unwrap_err();
        assert_eq!(refused, "the next request might exceed the budget: 0.00 of 0.01 are spent");
    }

    #[test]
    fn what_a_server_does_not_count_is_counted_from_its_bytes() {
        let prices = Some(Prices { read: 10.0, written: 20.0 });
        for cost in [usage(0, 0), Cost::Answered { usage: None, written: 60 }] {
            let account = Account::new(Budget { cost: Some(0.005), prices, requests: None }, Some(50));
            let mut requests = 0;
            while let Ok(reserved) = account.take(300) {
                requests += 1;
                assert!(!account.settle(reserved, cost) && requests < 100, "nothing is ever spent");
            }
            // 100 tokens read and 20 written, at 10 and 20 a million: .0014 each, and .002 at worst.
            assert_eq!((requests, account.so_far()), (3, (3, [300, 60], Some(0.0042))));
        }
        // Of one that counts the half of it the other half is counted.
        let account = Account::new(Budget::default(), None);
        assert!(!account.settle(account.take(300).unwrap(), usage(70, 0)));
        assert!(!account.settle(account.take(300).unwrap(), usage(0, 7)));
        assert_eq!(account.so_far().1, [170, 27]);
        // What is asked of somebody who reads no prompt has none to be counted.
        assert!(account.settle(account.take(0).unwrap(), Cost::Answered { usage: None, written: 0 }));
    }

    #[test]
    fn a_server_that_counts_without_end_ends_the_budget() {
        let prices = Some(Prices { read: 10.0, written: 20.0 });
        for counted in [usage(u64::MAX, u64::MAX), usage(1 << 63, 1 << 63)] {
            let account = Account::new(Budget { cost: Some(1e9), prices, requests: None }, None);
            let open: Vec<_> = (0..3).map(|_| account.take_all(300, 2).unwrap()).collect();
            for mut question in open {
                account.settle(question.of_one, counted);
                let next = account.next(&mut question).unwrap();
                account.settle(next, counted);
                account.release(&question);
            }
            assert_eq!(account.so_far().1, [u64::MAX; 2]);
            assert!(account.take(300).unwrap_err().contains("might exceed the budget"));
            // Without one every question is asked.
            let account = Account::new(Budget::default(), None);
            for _ in 0..3 {
                account.settle(account.take(300).unwrap(), counted);
            }
            assert_eq!(account.so_far().1, [u64::MAX; 2]);
        }
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
        assert!(account.settle(first, usage(60, 10)));
        assert!(account.settle(second, Cost::Nothing));
        assert_eq!(account.so_far(), (2, [60, 10], Some(0.0008)));
        let third = account.take(300).unwrap();
        // Tokens turn out to be shorter: from now on as many bytes have more of them.
        account.settle(third, usage(200, 10));
        assert!(account.take(300).is_err());
        assert!(account.so_far().2.unwrap() <= 0.005);
    }

    #[test]
    fn all_requests_of_a_question_are_within_the_budget_or_none_is_made() {
        let account = Account::new(Budget { requests: Some(7), ..Budget::default() }, None);
        let mut questions: Vec<_> = (0..2).map(|_| account.take_all(9, 3).unwrap()).collect();
        let refused = account.take_all(9, 3).unwrap_err();
        assert_eq!(refused, "the 3 requests of the next question would exceed the budget of 7");
        assert_eq!(account.so_far().0, 2);
        for question in &mut questions {
            account.settle(question.of_one, Cost::Nothing);
        }
        account.settle(account.next(&mut questions[0]).unwrap(), Cost::Nothing);
        account.release(&questions[0]);
        // Two of the first question were made, and all of the second may be: two are left.
        assert_eq!(account.so_far(), (3, [0, 0], None));
        assert!(account.take_all(9, 3).is_err() && account.take_all(9, 2).is_ok());
        assert!(account.next(&mut questions[1]).is_some() && account.next(&mut questions[1]).is_some());
        assert!(account.next(&mut questions[1]).is_none());
        // A question of 300 bytes thrice costs at worst 0.006, as each request of the test above 0.002.
        let prices = Some(Prices { read: 10.0, written: 20.0 });
        let account = Account::new(Budget { cost: Some(0.005), prices, requests: None }, Some(50));
        let refused = account.take_all(300, 3).unwrap_err();
        assert!(refused.starts_with("the 3 requests of the next question might exceed"), "{refused}");
        assert!(account.take_all(300, 2).is_ok());
    }

    #[test]
    fn requests_are_counted_with_their_repetitions() {
        let account = Account::new(Budget { requests: Some(2), ..Budget::default() }, None);
        let first = account.take(9).unwrap();
        account.settle(first, Cost::Nothing);
        account.settle(account.take(9).unwrap(), Cost::Perhaps);
        assert_eq!(account.take(9).unwrap_err(), "the budget of 2 requests is used up");
        assert_eq!(account.so_far(), (2, [3, ANSWER], None));
    }
}
