//! Queries made from the documents of a benchmark, and which of its configurations find them.

use std::collections::BTreeMap;

use super::{Drawn, Frequencies, RejectionReason, Sieve, Synthesis, Synthetic, known_items};
use crate::health::Result;
use crate::health::collection::{Collection, Query};
use crate::health::error::chain;
use crate::health::run::Run;
use crate::health::spec::{Configuration, ConfigurationSource};

use rankgate::benchmark::Benchmark;
use rankgate::internal::Inspection;

/// The depth to which the source is searched among the first documents.
pub(super) const FIRST: usize = 10;

/// Configurations by name: their results for queries, or why they cannot run.
pub(super) type Found = BTreeMap<String, std::result::Result<Vec<Run>, String>>;

/// Queries of documents drawn by seed: titles, or telling words. Configurations run them, and their results
/// are reported and decide nothing.
///
/// # Errors
///
/// A collection without documents, or that cannot be read.
pub fn synthesize(benchmark: &Benchmark, plan: &Synthesis) -> Result<Synthetic> {
    let collection = benchmark.collection()?;
    let corpus = collection.corpus()?;
    let drawn = Drawn::new(corpus, plan)?;
    let frequencies = Frequencies::new(corpus, drawn.words(), drawn.titles())?;
    let (candidates, repeated) = known_items(plan, &drawn, &frequencies);
    let mut sieve = Sieve::new(candidates, collection);
    (0..repeated).for_each(|_| sieve.leave(RejectionReason::Repeated));
    let grade = benchmark.spec().collection.relevant_from.max(1);
    let made = Synthetic::new(plan, sieve, &drawn.random, grade);
    with_found(benchmark, made)
}

pub(super) fn with_found(benchmark: &Benchmark, mut made: Synthetic) -> Result<Synthetic> {
    if made.queries.is_empty() {
        return Ok(made);
    }
    let queries = made.queries.iter().map(|made| made.query.clone()).collect();
    for (name, runs) in found(benchmark, queries)? {
        match runs {
            Ok(runs) => {
                let mut shares = [0.0, 0.0];
                for one in &made.queries {
                    // Of several passes the first speaks.
                    let ranking = runs.first().and_then(|run| run.ranking(&one.query.id)).unwrap_or_default();
                    let place = ranking.iter().take(FIRST).position(|hit| hit.id == one.source);
                    shares[0] += f64::from(u8::from(place == Some(0)));
                    shares[1] += f64::from(u8::from(place.is_some()));
                }
                let all = made.queries.len() as f64;
                made.quality.found.insert(name, shares.map(|share| share / all));
            }
            Err(why) => drop(made.quality.unasked.insert(name, why)),
        }
    }
    Ok(made)
}

/// What configurations return for these queries.
pub(super) fn found(benchmark: &Benchmark, queries: Vec<Query>) -> Result<Found> {
    let asked = benchmark.collection()?.asking(queries)?;
    let inspection = Inspection::new(benchmark);
    // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
    inspection.check_corpus()?;
    let mut spec = benchmark.spec().clone();
    (spec.depth, spec.deterministic) = (FIRST, false);
    let all = benchmark.spec().configurations.iter();
    Ok(all.map(|one| (one.name.clone(), runs_for(inspection, &spec, one, &asked))).collect())
}

fn runs_for(
    inspection: Inspection<'_>,
    spec: &crate::health::spec::Spec,
    configuration: &Configuration,
    asked: &Collection,
) -> std::result::Result<Vec<Run>, String> {
    if let Some(reason) = &configuration.ignore {
        return Err(format!("the spec ignores it: {reason}"));
    }
    if matches!(configuration.source, ConfigurationSource::Run { .. }) {
        return Err("a run has no answers to new queries".into());
    }
    if inspection.recording(configuration).map_err(|error| chain(&error))?.is_some() {
        return Err("its retriever is registered from Rust, and cannot be asked here".into());
    }
    inspection.ask(spec, configuration, asked).map_err(|error| chain(&error))
}
