//! What there is to say of a floor: its data, with its form as JSON.

use crate::health::json::record;

/// The version of the JSON form: fields are added, and this counts changes that break a reader.
pub const FLOOR_SCHEMA: u32 = 1;

record! {
    /// The floor of one configuration, and what it costs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FloorReport {
        /// The version of the JSON form.
        pub schema: u32,
        /// The benchmark's name.
        pub benchmark: String,
        /// The configuration.
        pub configuration: String,
        /// The share of unanswerable queries that may be answered, between 0 and 1.
        pub false_answer: f64,
        /// The probability with which the true share is no larger, between 0 and 1.
        pub confidence: f64,
        /// The key of the hash that halves the queries.
        pub key: String,
        /// Queries that have an answer.
        pub answerable: usize,
        /// Queries that have none.
        pub unanswerable: usize,
        /// Unanswerable queries that the floor is chosen by; the others test it.
        pub choosing: usize,
        /// What came of it.
        pub outcome: FloorOutcome,
        /// The floor that was chosen: results that score as much or more stay.
        pub floor?: Option<f64>,
        /// What the other half says of it.
        pub held_out?: Option<HeldOut>,
        /// What floors cost, the lowest first.
        pub trade_off: Vec<FloorCosts>,
        /// How many unanswerable queries would allow which share of false answers.
        pub needed: Vec<QueriesNeeded>,
        /// Where a floor was chosen, what the gate `floor-holds` would say today.
        pub gate?: Option<FloorGate>,
        /// What should be known before it is used.
        pub cautions?: Vec<String>,
    }
}

record! {
    /// What came of the choice of a floor.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FloorOutcome {
        /// A floor was chosen.
        Chosen = "chosen",
        /// Without a floor there are as few false answers.
        NotNeeded = "not-needed",
        /// So few unanswerable queries show no such share, whatever they score.
        TooFewQueries = "too-few-queries",
    }
}

record! {
    /// What the held-out half says of a floor.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HeldOut {
        /// The share of false answers is shown to be small enough there as well.
        Shown = "shown",
        /// It is shown neither to be small enough nor to be larger.
        Open = "open",
        /// It is shown to be larger.
        Broken = "broken",
    }
}

record! {
    /// What one floor costs.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FloorCosts {
        /// The floor; `None` where there is none.
        pub floor: Option<f64>,
        /// Whether it is the one that was chosen.
        pub chosen: bool,
        /// False answers in the half that chooses.
        pub choosing: Rate,
        /// False answers in the other half.
        pub held_out: Rate,
        /// False silences, of all queries that have an answer.
        pub false_silences: Rate,
    }
}

record! {
    /// How often something happened.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Rate {
        /// In so many queries.
        pub events: usize,
        /// Of so many.
        pub queries: usize,
        /// The largest share that this leaves possible, on one side at the report's confidence.
        pub at_most: f64,
    }
}

record! {
    /// How many unanswerable queries would allow a share of false answers, if none of them is answered.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct QueriesNeeded {
        /// The share.
        pub false_answer: f64,
        /// Unanswerable queries, of which half choose.
        pub queries: usize,
        /// How many more than there are.
        pub more: usize,
    }
}

record! {
    /// A threshold on `FalseAnswer` with `bound: upper` over all unanswerable queries, at the spec's confidence.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FloorGate {
        /// False answers.
        pub events: usize,
        /// The upper end of their interval, which is two-sided.
        pub upper: f64,
        /// Whether that is at most the share that may be.
        pub passes: bool,
    }
}

impl Rate {
    /// The share of queries, 0 of none.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.queries == 0 { 0.0 } else { self.events as f64 / self.queries as f64 }
    }
}
