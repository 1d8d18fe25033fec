//! The table of built-in metrics.

use super::definition::Definition;

/// Every built-in metric, in the order in which they are documented and sorted.
///
/// ```
/// let names: Vec<_> = rankgate::metric::catalogue().iter().map(|metric| metric.name()).collect();
/// assert!(names.starts_with(&["P", "R", "F"]));
/// ```
pub fn catalogue() -> &'static [&'static Definition] {
    CATALOGUE
}

/// A metric is a file of this room, its `mod` line, and its line here.
static CATALOGUE: &[&Definition] = &[
    &super::precision::P,
    &super::recall::R,
    &super::f_measure::F,
    &super::precision::SET_P,
    &super::recall::SET_R,
    &super::f_measure::SET_F,
    &super::success::SUCCESS,
    &super::rr::RR,
    &super::ap::AP,
    &super::ap::GMAP,
    &super::ndcg::NDCG,
    &super::ndcg::DCG,
    &super::rprec::RPREC,
    &super::bpref::BPREF,
    &super::rbp::RBP,
    &super::err::ERR,
    &super::err::NERR,
    &super::compat::COMPAT,
    &super::infap::INF_AP,
    &super::iprec::IPREC,
    &super::judged::JUDGED,
    &super::recall::R_CAP,
    &super::counts::NUM_RET,
    &super::counts::NUM_REL,
    &super::counts::NUM_REL_RET,
    &super::diversity::ALPHA_NDCG,
    &super::diversity::ALPHA_DCG,
    &super::diversity::ERR_IA,
    &super::diversity::NERR_IA,
    &super::diversity::NRBP,
    &super::diversity::NNRBP,
    &super::diversity::AP_IA,
    &super::diversity::P_IA,
    &super::diversity::ST_RECALL,
    &super::silence::FALSE_ANSWER,
    &super::silence::FALSE_SILENCE,
];
