//! What there is to say of a sweep: its data, with its form as JSON.

use std::collections::BTreeMap;

use crate::json::record;

use super::looks::Look;

/// The version of the JSON form: fields are added, and this counts changes that break a reader.
pub const TUNE_SCHEMA: u32 = 1;

record! {
    /// A sweep over settings of one configuration: how they do on one half of the queries, and what the other half says of the best.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TuneReport {
        /// The version of the JSON form.
        pub schema: u32,
        /// The benchmark's name.
        pub benchmark: String,
        /// The configuration.
        pub configuration: String,
        /// The metric that chooses.
        pub metric: String,
        /// Whether lower values of it are better.
        pub lower_is_better?: bool,
        /// The key of the hash that halves the queries.
        pub key: String,
        /// Confidence of intervals, between 0 and 1.
        pub confidence: f64,
        /// The metadata key whose groups stay in one half.
        pub cluster?: Option<String>,
        /// Queries that choose.
        pub dev: usize,
        /// Queries that confirm.
        pub locked: usize,
        /// Results whose judgments are counted.
        pub judged_at: usize,
        /// What was swept, in the order of the spec.
        pub keys: Vec<String>,
        /// What stands today.
        pub today: TunedSetting,
        /// Every setting, in the order of the sweep.
        pub settings: Vec<TunedSetting>,
        /// The position of the best setting; none where what stands today is as good.
        pub best?: Option<usize>,
        /// Gain of the best on the queries that chose it.
        pub naive: f64,
        /// Gain of choosing, measured on queries that did not choose.
        pub nested: f64,
        /// What the locked half said, where it was looked at.
        pub look?: Option<Look>,
        /// Whether that look was made before, so that this is none.
        pub looked_before: bool,
        /// Looks at the locked half so far.
        pub looks: usize,
        /// Queries that would show the nested gain, where it is one.
        pub queries_needed?: Option<u64>,
        /// Questions to retrievers that the sweep took.
        pub asked: u64,
        /// What should be known before it is used.
        pub cautions?: Vec<String>,
    }
}

record! {
    /// One setting on the queries that choose.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TunedSetting {
        /// Values by key, as they are written.
        pub values: BTreeMap<String, String>,
        /// Documents among the first results that nobody judged, by query.
        pub unjudged: f64,
        /// The metric's mean.
        pub mean: f64,
        /// That less the mean of what stands today.
        pub difference: f64,
        /// The t interval of the difference, where there is one.
        pub interval?: Option<[f64; 2]>,
        /// Whether it may be the best in truth.
        pub in_plateau: bool,
    }
}
