//! Diversity over subtopics: `alpha-nDCG`, `alpha-DCG`, `ERR-IA`, `nERR-IA`, `NRBP`, `nNRBP`, `AP-IA`, `P-IA`, `StRecall`.
//!
//! A document is relevant to a subtopic where its grade for it is at least `rel`. S is the number of subtopics that have a
//! relevant document at all; what has none is no subtopic of the query, and where there is none every metric is 0. The gain
//! of the document at rank i falls with each document above it on the same subtopic:
//!
//! g(i) = sum over its subtopics s of (1 - alpha)^(documents on s above rank i)
//!
//! | metric | is |
//! |---|---|
//! | `alpha-DCG@k` | sum of g(i) / log2(i + 1) over i <= k, over the same where each document were on all S subtopics |
//! | `ERR-IA@k` | the same with 1 / i in place of 1 / log2(i + 1) |
//! | `NRBP` | (1 - (1 - alpha) beta) / S times the sum of g(i) beta^(i - 1), over the whole ranking |
//! | `alpha-nDCG@k`, `nERR-IA@k`, `nNRBP` | the same over that of an ideal ranking of the judged documents |
//! | `P-IA@k`, `AP-IA` | the mean over the S subtopics of precision at k and average precision |
//! | `StRecall@k` | the share of the S subtopics that a document among the first k is on |
//!
//! The ideal ranking is greedy: each place goes to the document of the largest gain, of equal ones to the largest id (bytes).
//! The best ranking is hard to find (it is NP-complete), and a greedy one may be worse than a run, though never by more than
//! a factor of e / (e - 1): values up to 1.582 are possible.
//!
//! Source: `ndeval` 4.5 of TREC's Web tracks, as PyPI's pyndeval 0.0.8 has it, with which each query agrees to twelve digits,
//! but for two things. `ndeval` leaves `alpha-DCG@1` and `ERR-IA@1` without the division, and `nNRBP` without a subtopic is not
//! a number there. Its cutoffs end at 20. Clarke et al., SIGIR 2008 and ICTIR 2009; Agrawal et al., WSDM 2009.

mod subtopics;

pub use self::subtopics::SubtopicJudgments;

use super::definition::{CutoffKind, Definition, Values};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};
use super::requirements::Requirements;

/// How much more than the greedy ideal a ranking may have: e / (e - 1), rounded up.
const OVER_GREEDY: f64 = 1.582;

const GAINS: &[Parameter] = &[Parameter::Alpha, Parameter::Rel];
const BINARY: &[Parameter] = &[Parameter::Rel];
const PATIENT: &[Parameter] = &[Parameter::Alpha, Parameter::Patience, Parameter::Rel];

pub(super) static ALPHA_NDCG: Definition = Definition {
    patterns: &["alpha-nDCG", "alpha-nDCG@k", "alpha-nDCG(alpha=0.3)@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: GAINS,
    aliases: &["alpha_nDCG"],
    requirements: Requirements::SUBTOPICS,
    values: Values::Between(0.0, OVER_GREEDY),
    ..Definition::new(
        "alpha-nDCG",
        "discounted gain of new subtopics / that of a greedy ideal ranking",
        alpha_ndcg,
    )
};

pub(super) static ALPHA_DCG: Definition = Definition {
    patterns: &["alpha-DCG@k"],
    at: CutoffKind::Cutoff,
    parameters: GAINS,
    aliases: &["alpha_DCG"],
    requirements: Requirements::SUBTOPICS,
    ..Definition::new(
        "alpha-DCG",
        "discounted gain of new subtopics / the most that any documents could have",
        alpha_dcg,
    )
};

pub(super) static ERR_IA: Definition = Definition {
    patterns: &["ERR-IA@k"],
    at: CutoffKind::Cutoff,
    parameters: GAINS,
    aliases: &["ERR_IA"],
    requirements: Requirements::SUBTOPICS,
    ..Definition::new("ERR-IA", "expected 1 / rank at which a reader of some subtopic is satisfied", err_ia)
};

pub(super) static NERR_IA: Definition = Definition {
    patterns: &["nERR-IA", "nERR-IA@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: GAINS,
    aliases: &["nERR_IA"],
    requirements: Requirements::SUBTOPICS,
    values: Values::Between(0.0, OVER_GREEDY),
    ..Definition::new("nERR-IA", "ERR-IA / that of a greedy ideal ranking", nerr_ia)
};

pub(super) static NRBP: Definition = Definition {
    patterns: &["NRBP", "NRBP(alpha=0.3,beta=0.8)"],
    parameters: PATIENT,
    requirements: Requirements::SUBTOPICS,
    ..Definition::new(
        "NRBP",
        "new subtopics seen by a reader who goes on to the next rank with probability beta",
        nrbp,
    )
};

pub(super) static NNRBP: Definition = Definition {
    patterns: &["nNRBP"],
    parameters: PATIENT,
    requirements: Requirements::SUBTOPICS,
    values: Values::Between(0.0, OVER_GREEDY),
    ..Definition::new("nNRBP", "NRBP / that of a greedy ideal ranking", nnrbp)
};

pub(super) static AP_IA: Definition = Definition {
    patterns: &["AP-IA"],
    parameters: BINARY,
    aliases: &["AP_IA", "MAP-IA", "MAP_IA"],
    requirements: Requirements::SUBTOPICS,
    ..Definition::new("AP-IA", "mean over the subtopics of average precision", ap_ia)
};

pub(super) static P_IA: Definition = Definition {
    patterns: &["P-IA@k"],
    at: CutoffKind::Cutoff,
    parameters: BINARY,
    aliases: &["P_IA"],
    requirements: Requirements::SUBTOPICS,
    ..Definition::new("P-IA", "mean over the subtopics of precision", precision)
};

pub(super) static ST_RECALL: Definition = Definition {
    patterns: &["StRecall@k"],
    at: CutoffKind::Cutoff,
    parameters: BINARY,
    aliases: &["strec", "subtopic_recall"],
    requirements: Requirements::SUBTOPICS,
    ..Definition::new("StRecall", "share of the subtopics that are in the top k", recall)
};

/// A query's judgments by subtopic, and the ranking's documents among them.
struct Query<'a> {
    judged: &'a SubtopicJudgments,
    rel: i32,
    alpha: f64,
    /// How many subtopics have a relevant document.
    subtopics: f64,
    /// Rank from 1 and document, by rank.
    ranked: Vec<(usize, usize)>,
}

/// The query, unless no subtopic has a relevant document. Without judgments by subtopic nothing is known.
fn query<'a>(ranking: &'a JudgedRanking, parameters: &Parameters) -> Result<Query<'a>, f64> {
    let judged = ranking.subtopics().ok_or(f64::NAN)?;
    // Grade 0 is relevant to nothing, as in ndeval.
    let rel = parameters.rel(ranking).max(1);
    let subtopics = judged.relevant_documents(rel).iter().filter(|count| **count > 0).count();
    if subtopics == 0 {
        return Err(0.0);
    }
    let ranked = ranking.documents_with_subtopics(parameters.depth()).collect();
    Ok(Query { judged, rel, alpha: parameters.alpha.get(), subtopics: subtopics as f64, ranked })
}

impl Query<'_> {
    fn fresh(&self) -> Vec<f64> {
        vec![1.0; self.judged.subtopics()]
    }

    fn gain(&self, document: usize, left: &[f64]) -> f64 {
        self.judged.relevant(document, self.rel).map(|subtopic| left[subtopic]).sum()
    }

    /// Lowers what further documents gain on the subtopics of one.
    fn take(&self, document: usize, left: &mut [f64]) {
        self.judged.relevant(document, self.rel).for_each(|subtopic| left[subtopic] *= 1.0 - self.alpha);
    }

    /// The gain at each rank, where there is any, each weighed by its rank.
    fn weighed(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let mut left = self.fresh();
        let mut sum = 0.0;
        for &(rank, document) in &self.ranked {
            sum += self.gain(document, &left) * weight(rank);
            self.take(document, &mut left);
        }
        sum
    }

    /// The same of the greedy ideal ranking down to a rank.
    fn ideal(&self, depth: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let mut left = self.fresh();
        let mut free: Vec<usize> = (0..self.judged.len()).collect();
        let mut sum = 0.0;
        for rank in 1..=depth {
            // Documents stand in the order of ids: of equal gains the last one wins.
            let gains = free.iter().map(|&document| self.gain(document, &left)).enumerate();
            let best = gains.reduce(|best, next| if next.1 >= best.1 { next } else { best });
            let Some((place, gain)) = best.filter(|(_, gain)| *gain > 0.0) else { break };
            sum += gain * weight(rank);
            let document = free.remove(place);
            self.take(document, &mut left);
        }
        sum
    }

    /// The same where each of the first documents were on all subtopics.
    fn most(&self, depth: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let (mut gain, mut sum) = (self.subtopics, 0.0);
        for rank in 1..=depth {
            sum += gain * weight(rank);
            gain *= 1.0 - self.alpha;
        }
        sum
    }

    /// The gain over that of the greedy ideal ranking.
    fn over_ideal(&self, depth: usize, weight: impl Fn(usize) -> f64 + Copy) -> f64 {
        // Some document is relevant, so that the ideal is above 0.
        self.weighed(weight) / self.ideal(depth, weight)
    }
}

fn logarithmic(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).log2()
}

fn reciprocal(rank: usize) -> f64 {
    1.0 / rank as f64
}

fn geometric(beta: f64) -> impl Fn(usize) -> f64 + Copy {
    move |rank| beta.powi(i32::try_from(rank - 1).unwrap_or(i32::MAX))
}

type QueryOrValue<'a> = Result<Query<'a>, f64>;

/// The value of a query, or what it is where there is none to ask.
fn value(query: QueryOrValue<'_>, of: impl FnOnce(&Query<'_>) -> f64) -> f64 {
    query.map_or_else(|value| value, |query| of(&query))
}

fn alpha_ndcg(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| query.over_ideal(parameters.depth(), logarithmic))
}

fn alpha_dcg(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| {
        query.weighed(logarithmic) / query.most(parameters.depth(), logarithmic)
    })
}

fn err_ia(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| {
        query.weighed(reciprocal) / query.most(parameters.depth(), reciprocal)
    })
}

fn nerr_ia(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| query.over_ideal(parameters.depth(), reciprocal))
}

fn nrbp(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let beta = parameters.patience.get();
    value(query(ranking, parameters), |query| {
        query.weighed(geometric(beta)) * (1.0 - (1.0 - query.alpha) * beta) / query.subtopics
    })
}

fn nnrbp(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let weight = geometric(parameters.patience.get());
    value(query(ranking, parameters), |query| query.over_ideal(usize::MAX, weight))
}

fn ap_ia(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| {
        let relevant = query.judged.relevant_documents(query.rel);
        let (mut found, mut sums) = (vec![0_usize; relevant.len()], vec![0.0; relevant.len()]);
        for &(rank, document) in &query.ranked {
            for subtopic in query.judged.relevant(document, query.rel) {
                found[subtopic] += 1;
                sums[subtopic] += found[subtopic] as f64 / rank as f64;
            }
        }
        let with_any = sums.iter().zip(&relevant).filter(|(_, count)| **count > 0);
        with_any.map(|(sum, count)| sum / *count as f64).sum::<f64>() / query.subtopics
    })
}

fn precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| {
        let hits =
            query.ranked.iter().map(|(_, document)| query.judged.relevant(*document, query.rel).count());
        hits.sum::<usize>() as f64 / (parameters.depth() as f64 * query.subtopics)
    })
}

fn recall(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    value(query(ranking, parameters), |query| {
        let mut seen = vec![false; query.judged.subtopics()];
        for (_, document) in &query.ranked {
            query.judged.relevant(*document, query.rel).for_each(|subtopic| seen[subtopic] = true);
        }
        seen.iter().filter(|seen| **seen).count() as f64 / query.subtopics
    })
}

#[cfg(test)]
mod tests;
