//! The table of built-in metrics.

use super::definition::Definition;
use super::{
    ap, bpref, counts, err, f_measure, infap, iprec, judged, ndcg, precision, rbp, recall, rprec, rr, success,
};

/// Every built-in metric, in the order in which they are documented and sorted.
///
/// ```
/// let names: Vec<_> = rankgate::metric::catalogue().iter().map(|metric| metric.name()).collect();
/// assert!(names.starts_with(&["P", "R", "F"]));
/// ```
#[must_use]
pub fn catalogue() -> &'static [&'static Definition] {
    &CATALOGUE
}

static CATALOGUE: [&Definition; 22] = [
    &precision::P,
    &recall::R,
    &f_measure::F,
    &precision::SET_P,
    &recall::SET_R,
    &f_measure::SET_F,
    &success::SUCCESS,
    &rr::RR,
    &ap::AP,
    &ndcg::NDCG,
    &ndcg::DCG,
    &rprec::RPREC,
    &bpref::BPREF,
    &rbp::RBP,
    &err::ERR,
    &infap::INF_AP,
    &iprec::IPREC,
    &judged::JUDGED,
    &recall::R_CAP,
    &counts::NUM_RET,
    &counts::NUM_REL,
    &counts::NUM_REL_RET,
];
