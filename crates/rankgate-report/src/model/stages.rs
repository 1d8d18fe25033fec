//! Stages of pipelines: what they allow, and which of them a difference falls to.

use crate::json::record;

record! {
    /// Of which configuration another one is a stage.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StageReport {
        /// The configuration that is asked.
        pub of: String,
        /// The name of the stage.
        pub name: String,
    }
}

record! {
    /// What the documents of a step allow: the scores of all of them in the order of their grades, the highest first.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StepReport {
        /// The names of its stages; several run side by side.
        pub stages: Vec<String>,
        /// By metric, in the order of the report's; metrics for which the order by grade is not the best are left out.
        pub ceilings: Vec<CeilingReport>,
    }
}

record! {
    /// The ceiling of a metric.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CeilingReport {
        /// Canonical name.
        pub metric: String,
        /// The value that no other order of these documents exceeds.
        pub value: f64,
    }
}

record! {
    /// How a difference falls to the steps of a pipeline. For every query the parts add up to its difference.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StageParts {
        /// The steps in their order, then the ranking behind them; none where something is missing.
        pub parts?: Vec<StagePart>,
        /// What is missing to split the difference.
        pub missing?: Option<String>,
    }
}

record! {
    /// The part of a difference that falls to a step of the pipeline.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StagePart {
        /// The stages of the step; none for the ranking behind them.
        pub stages: Vec<String>,
        /// The baseline's ceiling less that of the step before, a mean over the queries; of the ranking its score less the last
        /// ceiling.
        pub baseline: f64,
        /// The same of the candidate.
        pub candidate: f64,
        /// The mean of candidate minus baseline.
        pub difference: f64,
        /// Its paired t interval; none where units do not vary.
        pub interval?: Option<[f64; 2]>,
    }
}
