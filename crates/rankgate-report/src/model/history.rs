//! What places a report among others of the same benchmark.

use crate::json::record;

record! {
    /// Of which commit a report is, and fingerprints of all that its scores depend on: with the scores of the queries, a later
    /// reader needs nothing else. It stands at the beginning of the JSON form, so that no more has to be read of a
    /// ranking that is known already.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct HistoryReport {
        /// The commit, where the environment or git tells it.
        pub commit?: Option<String>,
        /// SHA-256 of the judged queries, with their texts and metadata.
        pub queries: String,
        /// SHA-256 of the judgments.
        pub judgments: String,
        /// SHA-256 of the documents; empty where they were not read.
        pub corpus: String,
        /// How metrics are defined, their names aside.
        pub definitions: String,
        /// The metadata key whose values group queries, where the spec has `statistics.group-by`: groups, not queries, are
        /// the units of tests.
        pub cluster?: Option<String>,
        /// Those that were measured, in the order of the spec.
        pub configurations: Vec<ConfigurationHistory>,
    }
}

record! {
    /// What places a configuration's measurement among others.
    #[derive(Clone, Debug, PartialEq, Eq)]
    whole pub struct ConfigurationHistory {
        /// Its name.
        pub name: String,
        /// Results per query that the retriever should return.
        pub depth: usize,
        /// SHA-256 of its rankings: which documents in which order, for which query; scores aside.
        pub ranking: String,
        /// The same of the golden run that stood there.
        pub golden?: Option<String>,
        /// Whether that is this ranking, and whoever blessed it accepted what was lost with it.
        pub accepted?: bool,
        /// Metrics that gates of the spec stand on, in the order of the report's metrics.
        pub gated: Vec<String>,
    }
}
