//! The lowest difference between two sides on one query, whatever its unjudged documents turn out to be: each not relevant, or of
//! the highest grade.
//!
//! Not relevant is judged and of grade 0. To most metrics that is the same as no grade; one that passes over what has none counts
//! it, and has the documents as they are among the cases, too: its value is of these.
//!
//! A relevant document counts on both sides that return it, and among what there is to find: it can lower a score. So neither end
//! is found by asking which side ranks a document higher. [`Growth`] says which sets of relevant documents have to be tried.

use crate::metric::{Growth, JudgedRanking, Metric};
use crate::{Result, order, stats};

/// So few documents are tried in every combination.
const COMBINED: usize = 6;
/// Up to so many relevant documents each number is tried by itself, for a sum.
const SINGLE_OF_SUM: usize = 64;
/// The same where both sides are bounded alone.
const SINGLE: usize = 16;
/// So many documents at most, where nothing is known of numbers in between.
const MOST_RANKED: usize = 64;

/// A rank, from 1, and which of the unjudged documents of the query stands there.
pub(super) type Place = (usize, usize);

/// How many of a query's unjudged documents are assumed to be relevant, and how many there are.
#[derive(Clone, Copy)]
struct Numbers {
    relevant: usize,
    documents: usize,
}

/// One ranking of a query by one side.
pub(super) struct Pass<'a> {
    pub(super) ranking: &'a JudgedRanking,
    /// Its unjudged documents within the cutoff, by rank.
    pub(super) places: Vec<Place>,
}

impl Pass<'_> {
    fn ranks_of(&self, is_relevant: impl Fn(usize) -> bool) -> Vec<usize> {
        self.places.iter().filter(|(_, document)| is_relevant(*document)).map(|(rank, _)| *rank).collect()
    }

    /// The ranks of so many relevant documents where the ranking scores highest.
    fn best(&self, relevant: usize) -> Vec<usize> {
        self.places.iter().take(relevant).map(|(rank, _)| *rank).collect()
    }

    /// The ranks where it scores lowest: first come documents that it does not return.
    fn worst(&self, relevant: usize, documents: usize) -> Vec<usize> {
        let returned = relevant.saturating_sub(documents - self.places.len());
        self.places[self.places.len() - returned..].iter().map(|(rank, _)| *rank).collect()
    }
}

/// What is assumed of unjudged documents, and what it is asked for.
pub(super) struct Assumed<'a> {
    metric: &'a Metric,
    /// The grade that a document has at best.
    grade: i32,
    /// What a relevant document adds by its rank, beside what it adds at another; of a [sum](Growth::Sum) alone.
    weights: Vec<f64>,
}

impl<'a> Assumed<'a> {
    /// `cutoff` is the last rank that counts; `relevant_from` the lowest grade that is relevant where the metric does not say.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    pub(super) fn new(metric: &'a Metric, cutoff: usize, grade: i32, relevant_from: i32) -> Result<Self> {
        if metric.growth() != Growth::Sum {
            return Ok(Self { metric, grade, weights: Vec::new() });
        }
        let blank = JudgedRanking::sparse(cutoff, &[], Vec::new())?.with_relevant_from(relevant_from);
        let none = metric.try_compute(&blank.assuming(&[], 1, grade))?;
        let weight = |rank: usize| Ok(metric.try_compute(&blank.assuming(&[rank], 1, grade))? - none);
        Ok(Self { metric, grade, weights: (1..=cutoff).map(weight).collect::<Result<_>>()? })
    }

    /// The scores of two sides where the second less the first is lowest. A side without rankings scores 0, so that the other is
    /// looked at by itself. `documents` is how many unjudged documents both return together. Where the scores cannot be found within reason, the difference is lower than it can be, never higher;
    /// `None` where there is no bound at all.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    pub(super) fn lowest(&self, sides: [&[Pass<'_>]; 2], documents: usize) -> Result<Option<[f64; 2]>> {
        let none_relevant = self.none_relevant(sides, documents)?;
        if documents == 0 {
            return Ok(Some(none_relevant));
        }
        let single_passes = sides.iter().all(|passes| passes.len() <= 1);
        let found = match self.metric.growth() {
            Growth::Sum => Some(self.of_sum(sides, documents)?),
            Growth::First if single_passes => Some(self.of_first(sides, documents)?),
            _ if documents <= COMBINED => Some(self.combined(sides, documents)?),
            Growth::First | Growth::Quotient => {
                Some(self.apart(sides, documents, blocks(documents, SINGLE, 4))?)
            }
            Growth::Ranks if documents <= MOST_RANKED => {
                Some(self.apart(sides, documents, blocks(documents, documents, 1))?)
            }
            Growth::Ranks | Growth::Unknown => {
                let (low, high) = self.metric.range().into_inner();
                let end = |side: usize, end: f64| if sides[side].is_empty() { 0.0 } else { end };
                (low.is_finite() && high.is_finite()).then(|| [end(0, high), end(1, low)])
            }
        };
        let found = found.map(|found| lower(found, none_relevant));
        Ok(match self.metric.tells_unjudged_apart() {
            true => {
                let of = |passes| mean_of(passes, |pass: &Pass<'_>| self.metric.try_compute(pass.ranking));
                let without_grades = [of(sides[0])?, of(sides[1])?];
                found.map(|found| lower(found, without_grades))
            }
            false => found,
        })
    }

    /// The scores of two sides with none of the documents relevant.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    pub(super) fn none_relevant(&self, sides: [&[Pass<'_>]; 2], documents: usize) -> Result<[f64; 2]> {
        self.scores(sides, Numbers { relevant: 0, documents }, |_| false)
    }

    /// The score with the documents at these ranks relevant, and the others not.
    fn score(&self, pass: &Pass<'_>, ranks: &[usize], numbers: Numbers) -> Result<f64> {
        let Numbers { relevant, documents } = numbers;
        if self.metric.tells_unjudged_apart() {
            let others = pass.places.iter().map(|(rank, _)| *rank);
            let others: Vec<usize> = others.filter(|rank| ranks.binary_search(rank).is_err()).collect();
            let judged = pass.ranking.assuming(&others, documents - relevant, 0);
            return self.metric.try_compute(&judged.assuming(ranks, relevant, self.grade));
        }
        match relevant {
            0 => self.metric.try_compute(pass.ranking),
            _ => self.metric.try_compute(&pass.ranking.assuming(ranks, relevant, self.grade)),
        }
    }

    fn scores(
        &self,
        sides: [&[Pass<'_>]; 2],
        numbers: Numbers,
        is_relevant: impl Fn(usize) -> bool,
    ) -> Result<[f64; 2]> {
        let of = |passes| {
            mean_of(passes, |pass: &Pass<'_>| self.score(pass, &pass.ranks_of(&is_relevant), numbers))
        };
        Ok([of(sides[0])?, of(sides[1])?])
    }

    /// Every combination.
    fn combined(&self, sides: [&[Pass<'_>]; 2], documents: usize) -> Result<[f64; 2]> {
        let mut lowest = self.none_relevant(sides, documents)?;
        for set in 1_u32..1 << documents {
            let numbers = Numbers { relevant: set.count_ones() as usize, documents };
            lowest = lower(lowest, self.scores(sides, numbers, |document| set >> document & 1 == 1)?);
        }
        Ok(lowest)
    }

    /// One document at most. Of several, the one that stands highest in the first side makes its score alone, and without the
    /// others the second side scores no higher.
    fn of_first(&self, sides: [&[Pass<'_>]; 2], documents: usize) -> Result<[f64; 2]> {
        let mut lowest = self.none_relevant(sides, documents)?;
        let one = Numbers { relevant: 1, documents };
        let mut rank_in_second = vec![None; documents];
        for (rank, document) in sides[1].iter().flat_map(|pass| &pass.places) {
            rank_in_second[*document] = Some(*rank);
        }
        for (rank, document) in sides[0].iter().flat_map(|pass| &pass.places) {
            let of_first = mean_of(sides[0], |pass| self.score(pass, &[*rank], one))?;
            let of_second =
                mean_of(sides[1], |pass| self.score(pass, rank_in_second[*document].as_slice(), one))?;
            lowest = lower(lowest, [of_first, of_second]);
        }
        Ok(lowest)
    }

    /// For each number of relevant documents those that the first side gains most by beside the second.
    fn of_sum(&self, sides: [&[Pass<'_>]; 2], documents: usize) -> Result<[f64; 2]> {
        let mut gained = vec![0.0; documents];
        for (passes, sign) in sides.into_iter().zip([-1.0, 1.0]) {
            for (rank, document) in passes.iter().flat_map(|pass| &pass.places) {
                gained[*document] += sign * self.weights[rank - 1] / passes.len() as f64;
            }
        }
        let mut order: Vec<usize> = (0..documents).collect();
        order::sort_by(&mut order, |a, b| gained[*a].total_cmp(&gained[*b]));
        // What the first documents of this order gain together, by their number.
        let mut sums = vec![0.0; documents + 1];
        for (at, document) in order.iter().enumerate() {
            sums[at + 1] = sums[at] + gained[*document];
        }
        // What a unit of weight is worth shows best where the weight is largest.
        let weight = |place: &Place| self.weights[place.0 - 1];
        let all =
            sides.into_iter().flatten().flat_map(|pass| pass.places.iter().map(move |place| (pass, place)));
        let Some((pass, place)) = all.max_by(|a, b| weight(a.1).total_cmp(&weight(b.1))) else {
            return self.none_relevant(sides, documents);
        };
        let unit = |relevant: usize| -> Result<f64> {
            let numbers = Numbers { relevant, documents };
            let added = self.score(pass, &[place.0], numbers)? - self.score(pass, &[], numbers)?;
            Ok(if weight(place) > 0.0 { added / weight(place) } else { 0.0 })
        };
        let mut lowest: Option<(f64, usize)> = None;
        let mut unit_before = 0.0;
        for (first, last) in blocks(documents, SINGLE_OF_SUM, 10) {
            let [one, other] = self.scores(sides, Numbers { relevant: last, documents }, |_| false)?;
            let unit_of_last = unit(last)?;
            let least = (first..=last).min_by(|a, b| sums[*a].total_cmp(&sums[*b])).unwrap_or(last);
            let mut difference = other - one + unit_of_last * sums[least];
            if difference < 0.0 && first < last && unit_of_last > 0.0 {
                // The divisor grows within a block: the difference is largest before it.
                difference *= unit_before / unit_of_last;
            }
            unit_before = unit_of_last;
            if lowest.is_none_or(|(found, _)| difference < found) {
                lowest = Some((difference, least));
            }
        }
        let Some((difference, relevant)) = lowest else { return self.none_relevant(sides, documents) };
        let mut is_relevant = vec![false; documents];
        order[..relevant].iter().for_each(|document| is_relevant[*document] = true);
        let numbers = Numbers { relevant, documents };
        let scores = self.scores(sides, numbers, |document| is_relevant[document])?;
        // Of numbers that were tried by themselves it is this up to rounding.
        Ok(if relevant <= SINGLE_OF_SUM { scores } else { self.apart_by(difference, scores) })
    }

    /// Each side by itself, for each number of relevant documents: the highest score of the first, the lowest of the second.
    fn apart(
        &self,
        sides: [&[Pass<'_>]; 2],
        documents: usize,
        blocks: impl Iterator<Item = (usize, usize)>,
    ) -> Result<[f64; 2]> {
        let range = self.metric.range();
        let mut lowest = self.none_relevant(sides, documents)?;
        for (first, last) in blocks {
            let [few, many] = [first, last].map(|relevant| Numbers { relevant, documents });
            // How much the divisor grows within the block.
            let growth = |pass: &Pass<'_>| -> Result<f64> {
                if first == last {
                    return Ok(1.0);
                }
                let ranks = pass.best(first);
                let [few, many] = [self.score(pass, &ranks, few)?, self.score(pass, &ranks, many)?];
                Ok(if many > 0.0 { (few / many).max(1.0) } else { 1.0 })
            };
            let highest = |pass: &Pass<'_>| -> Result<f64> {
                Ok((self.score(pass, &pass.best(last), many)? * growth(pass)?).min(*range.end()))
            };
            let least = |pass: &Pass<'_>| -> Result<f64> {
                let score = self.score(pass, &pass.worst(first, documents), few)?;
                Ok((score / growth(pass)?).max(*range.start()))
            };
            lowest = lower(lowest, [mean_of(sides[0], highest)?, mean_of(sides[1], least)?]);
        }
        Ok(lowest)
    }

    /// Scores that differ by this, as near to the given ones as the range of the metric allows.
    fn apart_by(&self, difference: f64, [one, _]: [f64; 2]) -> [f64; 2] {
        let (low, high) = self.metric.range().into_inner();
        let one = one.max(low - difference).min(high - difference).clamp(low, high);
        [one, (one + difference).clamp(low, high)]
    }
}

fn lower(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    if other[1] - other[0] < one[1] - one[0] { other } else { one }
}

fn mean_of<'p, 'r: 'p>(passes: &'p [Pass<'r>], score: impl Fn(&'p Pass<'r>) -> Result<f64>) -> Result<f64> {
    if passes.is_empty() {
        return Ok(0.0);
    }
    stats::mean(&passes.iter().map(score).collect::<Result<Vec<f64>>>()?)
}

/// The numbers from 1 to `most`: each by itself up to `single`, then in blocks a `part` longer than what lies before them.
fn blocks(most: usize, single: usize, part: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut last = 0;
    std::iter::from_fn(move || {
        let first = last + 1;
        last = if first <= single { first } else { (last + (last / part).max(1)).min(most) };
        (first <= most).then_some((first, last))
    })
}

#[cfg(test)]
mod tests;
