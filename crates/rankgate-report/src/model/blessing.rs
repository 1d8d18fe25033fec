//! The result of blessing: by configuration, the files that it wrote and the changes that are accepted with them.

use super::coverage::CoverageReport;
use super::gate::Input;
use super::row::Row;
use crate::json::record;
use crate::output::Written;

record! {
    /// What blessing made of one configuration's golden files.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Blessing {
        /// The configuration.
        pub configuration: String,
        /// The tag of its run, where only a tag was requested; then the run blessed before
        /// is the one that had this tag.
        pub tag?: Option<String>,
        /// Whether its files were left as they were, because blocking thresholds fail, too few queries were answered, or the
        /// tag is that of another ranking or of other answers, without `--force`.
        pub refused: bool,
        /// What came of each file; empty where that was refused.
        pub files: Vec<GoldenFile>,
        /// That too few of the judged queries were answered for a comparison with this run.
        pub shortage?: Option<CoverageReport>,
        /// Blocking thresholds that the configuration does not keep, by the names of their gates: the value beside the limit.
        pub failing?: Vec<Row>,
        /// What differs from the day of the run that was blessed before, the retriever aside.
        pub inputs?: Vec<Input>,
        /// The report's metrics, in its order.
        pub metrics: Vec<MetricChange>,
        /// Queries that the run blessed before has too; 0 without a readable earlier run.
        pub queries: usize,
        /// Of these, those whose rankings differ.
        pub moved: usize,
    }
}

record! {
    /// A golden file.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct GoldenFile {
        /// Its path, as messages show it.
        pub file: String,
        /// What came of it.
        pub written: Written,
        /// How long it is now.
        pub bytes: u64,
    }
}

record! {
    /// A metric now and in the run that was blessed before, over the queries of both and by
    /// today's judgments.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MetricChange {
        /// Canonical name.
        pub metric: String,
        /// The value that was blessed before, if any was.
        pub before?: Option<f64>,
        /// The value now.
        pub after: f64,
        /// Queries that score lower than they did.
        pub worse: usize,
        /// Queries that score higher.
        pub better: usize,
    }
}
