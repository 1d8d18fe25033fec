//! Average precision: `AP`, `AP@k`, and its geometric mean over queries, `GMAP`.
//!
//! The sum of `P@i` over the ranks i <= k that hold a relevant document, over R: the relevant
//! documents judged for the query, retrieved or not (never min(R, k), which some tools divide by).
//! From 0 to 1; 0 where R = 0. Its mean over queries is MAP.
//!
//! `GMAP` of a query is its AP, and 0.00001 where that is less. Over queries it is the geometric mean: halving the AP of a hard
//! query costs as much as halving that of an easy one. Source: `trec_eval` 10, `m_gm_map.c`; Robertson, "On GMAP", CIKM 2006.
//!
//! Sources: Buckley & Voorhees, "Evaluating Evaluation Measure Stability", SIGIR 2000; `trec_eval`
//! 10, `m_map.c` and `m_map_cut.c`.

use super::definition::{Aggregation, CutoffKind, Definition, Values};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static AP: Definition = Definition {
    patterns: &["AP", "AP@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Rel],
    aliases: &["map"],
    stems: &["map_cut"],
    ..Definition::new("AP", "mean of the precision at each relevant document", average_precision)
};

pub(super) static GMAP: Definition = Definition {
    patterns: &["GMAP"],
    parameters: &[Parameter::Rel],
    aliases: &["gm_map"],
    values: Values::Between(LEAST, 1.0),
    aggregation: Aggregation::GeometricMean,
    ..Definition::new("GMAP", "geometric mean over queries of AP, of each at least 0.00001", floored)
};

/// `MIN_GEO_MEAN` of `trec_eval`: a geometric mean with a 0 in it is 0.
const LEAST: f64 = 0.00001;

fn floored(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    average_precision(ranking, parameters).max(LEAST)
}

fn average_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let rel = parameters.rel(ranking);
    let relevant = ranking.relevant(rel);
    if relevant == 0 {
        return 0.0;
    }
    let ranks = ranking.relevant_ranks(rel).take_while(|&rank| rank <= parameters.depth());
    let mut precisions = 0.0;
    for (hits, rank) in (1..).zip(ranks) {
        precisions += f64::from(hits) / rank as f64;
    }
    precisions / relevant as f64
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // relevant at ranks 1, 3, 4 of R = 4; by hand
        let ranked = "1 0 2 1 -";
        check(&[
            ("AP", ranked, &[1, 0], (1.0 + 2.0 / 3.0 + 0.75) / 4.0),
            ("AP@3", ranked, &[1, 0], (1.0 + 2.0 / 3.0) / 4.0), // over R, not min(R, 3)
            ("AP@1", ranked, &[1, 0], 0.25),
            ("AP(rel=2)", ranked, &[1, 0], 1.0 / 3.0),
            ("AP", "1 2 1", &[], 1.0),
            ("AP", "0 -1", &[0], 0.0),
            ("AP", "", &[1], 0.0),
            ("GMAP", "1 2 1", &[], 1.0),
            ("GMAP(rel=2)", ranked, &[1, 0], 1.0 / 3.0),
            ("GMAP", "", &[1], 0.00001),
        ]);
    }
}
