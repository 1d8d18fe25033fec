//! What lint says of the lists that configurations return.

use crate::health::analysis::{cut_lists, rising_scores};
use crate::health::evaluation::Evaluation;
use crate::health::metric::Metric;
use crate::health::model::{Example, Finding, Severity};

use super::Measured;

/// Scores that rise with the ranks of a run's file, and lists that end above the cutoff of a metric.
pub(super) fn findings(measured: &Measured, metrics: &[Metric]) -> Vec<Finding> {
    let evaluations: Vec<(&str, &Evaluation)> =
        measured.iter().filter_map(|(name, one)| Some((name.as_str(), one.as_ref().ok()?))).collect();
    let told = |of: &dyn Fn(&Evaluation) -> Option<String>| -> Vec<Example> {
        let example = |(name, one): &(&str, &Evaluation)| Some(Example::new(*name, "", of(one)?));
        evaluations.iter().filter_map(example).collect()
    };
    let rising = |without_ranks: bool| {
        told(&|one| {
            let rising = rising_scores(one.rising()).filter(|one| one.without_ranks == without_ranks)?;
            Some(format!("in {} of {} queries", rising.queries, rising.of))
        })
    };
    let cut = told(&|one| cut_lists(one.cut(), metrics).map(|cut| cut.to_string()));
    let finding = |examples: Vec<Example>, severity, code: &str, message: &str, advice: &str| {
        (!examples.is_empty()).then(|| Finding {
            severity,
            code: code.into(),
            message: message.into(),
            count: examples.len(),
            examples: examples.into_iter().take(Example::MOST).collect(),
            advice: advice.into(),
        })
    };
    let with_ranks = finding(
        rising(false),
        Severity::Problem,
        "scores-rise-with-ranks",
        "scores rise with the ranks of the run's file, and a run is read by score, highest first: what ranks first \
         counts as last",
        "if the ranks are right, give the configuration `order: rank`; otherwise write scores that fall",
    );
    let without_ranks = finding(
        rising(true),
        Severity::Problem,
        "scores-rise-down-the-file",
        "scores rise from each document of the run's file to the next, and a run is read by score, highest first: what \
         stands first counts as last",
        "the file has no ranks: if its order is right, write scores that fall",
    );
    let cut = finding(
        cut,
        Severity::Caution,
        "lists-cut",
        "lists end above the cutoff of a metric: what would come below scores nothing",
        "let the retriever return as many as the metric looks at, or ask for a smaller cutoff",
    );
    with_ranks.into_iter().chain(without_ranks).chain(cut).collect()
}
