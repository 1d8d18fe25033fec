//! The lines of `trec_eval`, for scripts that read them.

use std::fmt::Write;

use crate::offline::Scores;
use crate::offline::metric::{Aggregation, NamedMetric};
use rankgate_report::report::internal::clean::clean;

/// A run's scores as `trec_eval` prints them: name, tab, query, tab, value; the queries first, where the
/// scores have them, then `all`.
///
/// Metrics are called as the caller named them. A query that the run does not answer has its lines, with the
/// scores that count in the mean.
///
/// ```
/// # use rankgate::{Qrels, Source, metric::parse_list};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?;
/// # let run = Source::stream("mine.run", &b"q1 Q0 d7 1 2.5 t\nq1 Q0 d1 2 2.0 t\n"[..]);
/// let metrics = parse_list("recip_rank,num_ret")?;
/// let scoring = Scoring::new(metrics.iter().map(|one| one.metric.clone())).per_query(true);
/// let scores = scoring.source(&qrels, "mine.run", run)?;
/// assert!(rankgate_cli::offline::report::trec_eval(&scores, &metrics).ends_with(
///     "recip_rank            \tall\t0.2500\n\
///      num_ret               \tall\t2\n"
/// ));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn trec_eval(scores: &Scores, metrics: &[NamedMetric]) -> String {
    let mut text = String::new();
    let names: Vec<String> = metrics.iter().map(|one| one.metric.to_string()).collect();
    if let Some(per_query) = &scores.per_query {
        let columns: Vec<Option<usize>> =
            names.iter().map(|name| per_query.metrics().iter().position(|known| known == name)).collect();
        for (query, row) in per_query.iter() {
            for (one, column) in metrics.iter().zip(&columns) {
                // A geometric mean has no value of a single query there.
                let of_query = one.metric.aggregation() != Aggregation::GeometricMean;
                if let Some(value) = column.filter(|_| of_query).and_then(|column| row.get(column)) {
                    line(&mut text, one, query, *value);
                }
            }
        }
    }
    for (one, name) in metrics.iter().zip(&names) {
        if let Some(value) = scores.mean.get(name) {
            line(&mut text, one, "all", *value);
        }
    }
    text
}

fn line(text: &mut String, metric: &NamedMetric, query: &str, value: f64) {
    let value = match metric.metric.aggregation() {
        Aggregation::Sum => format!("{value:.0}"),
        Aggregation::Mean | Aggregation::GeometricMean => format!("{value:6.4}"),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{:<22}\t{}\t{value}", clean(&metric.name), clean(query));
}
