//! The score below which a system should say nothing: chosen from queries that have no answer.

mod choose;
mod rate;
mod report;
mod text;

pub use choose::{FloorDemand, QueryScore, choose_floor};
pub(crate) use rate::upper_limit;
pub use report::{
    FLOOR_SCHEMA, FloorCosts, FloorGate, FloorOutcome, FloorReport, HeldOut, QueriesNeeded, Rate,
};
pub use text::{floor_json, floor_text};

use rankgate::benchmark::Benchmark;
use rankgate::internal::Inspection;

use crate::health::collection::Query;
use crate::health::error::Quoted;
use crate::health::run::{Hit, Run};
use crate::health::spec::Configuration;
use crate::health::{Error, Result};

/// The scores that decide at which floor each query of a configuration is answered: of its unanswerable queries, then of
/// those that have an answer. Its own floor is left out of account.
///
/// An unanswerable query is answered as long as any result is left. One that has an answer is silent once its best relevant
/// result is cut, or where there is none, its best result. With repeats the worst counts.
///
/// # Errors
/// A configuration that cannot be measured or has no scores; rankings of which only what a floor left is known; a query
/// without a ranking.
pub fn floor_scores(
    benchmark: &Benchmark,
    configuration: &Configuration,
) -> Result<(Vec<QueryScore>, Vec<QueryScore>)> {
    let name = Quoted(&configuration.name);
    let evaluation = Inspection::new(benchmark).evaluation(configuration)?;
    let runs = evaluation.runs_before_floor().ok_or_else(|| {
        Error::invalid(format!(
            "the rankings of {name} were kept as its floor left them: take `floor` out and run its tests once"
        ))
    })?;
    if !runs.iter().all(|run| run.has_scores()) {
        let message = format!("a floor needs results with scores, and those of {name} say their order alone");
        return Err(Error::invalid(message));
    }
    let collection = evaluation.collection();
    let relevant_from = evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from());
    let is_relevant =
        |query: &str, hit: &Hit| collection.grade(query, &hit.id).is_some_and(|grade| grade >= relevant_from);
    let hits = |run: &Run, query: &Query| -> Result<Vec<Hit>> {
        let missing = || {
            let query = Quoted(&query.id);
            Error::invalid(format!("{name} has no ranking for {query}, not even an empty one: was it asked?"))
        };
        run.ranking(&query.id).map(<[Hit]>::to_vec).ok_or_else(missing)
    };
    let best = |hits: &[Hit]| hits.iter().map(|hit| hit.score).reduce(f64::max);
    let unanswerable = |query: &Query| {
        let scores = runs.iter().map(|run| Ok(best(&hits(run, query)?))).collect::<Result<Vec<_>>>()?;
        Ok(QueryScore { query: query.id.clone(), score: scores.into_iter().flatten().reduce(f64::max) })
    };
    let answerable = |query: &Query| {
        let one = |run: &std::sync::Arc<Run>| {
            let hits = hits(run, query)?;
            let relevant: Vec<Hit> = hits.iter().filter(|hit| is_relevant(&query.id, hit)).cloned().collect();
            Ok(best(&relevant).or(best(&hits)))
        };
        let scores = runs.iter().map(one).collect::<Result<Vec<Option<f64>>>>()?;
        let lowest = scores.into_iter().reduce(|a, b| Some(a?.min(b?))).flatten();
        Ok(QueryScore { query: query.id.clone(), score: lowest })
    };
    let without = collection.unanswerable().iter().map(unanswerable).collect::<Result<_>>()?;
    Ok((without, evaluation.queries().iter().map(answerable).collect::<Result<_>>()?))
}
