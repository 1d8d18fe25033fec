//! Counts: `NumRet`, `NumRel`, `NumRelRet`.
//!
//! Documents retrieved; relevant documents judged for the query, retrieved or not; relevant
//! documents retrieved. Whole numbers of at least 0, summed over queries, not averaged.
//!
//! Source: `trec_eval` 10, `m_num_ret.c`, `m_num_rel.c`, `m_num_rel_ret.c`.

use super::definition::{Aggregation, Definition, Values};
use super::parameters::Parameter;
use super::requirements::Requirements;

pub(super) static NUM_RET: Definition = Definition {
    patterns: &["NumRet"],
    aliases: &["num_ret"],
    requirements: Requirements::NONE,
    values: Values::UNBOUNDED,
    aggregation: Aggregation::Sum,
    ..Definition::new("NumRet", "documents retrieved", |ranking, _| ranking.len() as f64)
};

pub(super) static NUM_REL: Definition = Definition {
    patterns: &["NumRel"],
    parameters: &[Parameter::Rel],
    aliases: &["num_rel"],
    values: Values::UNBOUNDED,
    aggregation: Aggregation::Sum,
    ..Definition::new("NumRel", "relevant documents judged", |ranking, parameters| {
        ranking.relevant(parameters.rel(ranking)) as f64
    })
};

pub(super) static NUM_REL_RET: Definition = Definition {
    patterns: &["NumRelRet"],
    parameters: &[Parameter::Rel],
    aliases: &["num_rel_ret"],
    values: Values::UNBOUNDED,
    aggregation: Aggregation::Sum,
    ..Definition::new("NumRelRet", "relevant documents retrieved", |ranking, parameters| {
        ranking.hits(ranking.len(), parameters.rel(ranking)) as f64
    })
};

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            ("NumRet", "1 - 0 -1 2", &[1, 0], 5.0),
            ("NumRel", "1 - 0 -1 2", &[1, 0], 3.0),
            ("NumRelRet", "1 - 0 -1 2", &[1, 0], 2.0),
            ("NumRel(rel=2)", "1 - 0 -1 2", &[1, 0], 1.0),
            ("NumRelRet(rel=2)", "1 - 0 -1 2", &[1, 0], 1.0),
            ("NumRet", "", &[1, 0], 0.0),
            ("NumRel", "", &[1, 0], 1.0),
        ]);
    }
}
