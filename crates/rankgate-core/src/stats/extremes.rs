//! What a query that was not seen may do to a mean difference, by what those that were seen score.

use std::ops::RangeInclusive;

use super::sum::total;

/// Sums over the scores of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Side {
    count: f64,
    sum: f64,
    squares: f64,
    least: f64,
    largest: f64,
}

impl Side {
    fn new(scores: &[f64]) -> Self {
        Self {
            count: scores.len() as f64,
            sum: total(scores.iter().copied()),
            squares: total(scores.iter().map(|score| score * score)),
            least: scores.iter().copied().fold(f64::INFINITY, f64::min),
            largest: scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The mean distance from an end of the range of the scores and of one at the other end, `width` away: each counted as often
    /// as it is far from it. It is the width where all scores lie at either end. The one at the other end is the unseen query:
    /// without it a sample that holds none of the few queries on which the score rests would say that nothing can be lost.
    ///
    /// It is at least half the width. Where all scores lie near the end, but one query in 170 lies at the other, most samples hold
    /// none of those: without the floor a gain was claimed falsely in a quarter to half of them.
    fn weighted_distance(&self, end: f64, width: f64) -> f64 {
        let distance = (self.sum - end * self.count).abs() + width;
        let squares = self.squares - 2.0 * end * self.sum + end * end * self.count + width * width;
        if distance > 0.0 { (squares / distance).clamp(width / 2.0, width) } else { 0.0 }
    }
}

/// The scores of both sides, as far as an unseen query depends on them, and what scores can be at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    baseline: Side,
    candidate: Side,
    range: [f64; 2],
}

impl Extremes {
    /// Of scores whose range nobody gives: from 0 to 1 where all of them are, else as far down as they go, and up without
    /// an end.
    pub(super) fn new(baseline: &[f64], candidate: &[f64]) -> Self {
        let [baseline, candidate] = [baseline, candidate].map(Side::new);
        let least = baseline.least.min(candidate.least).min(0.0);
        let largest = baseline.largest.max(candidate.largest);
        let range = [least, if largest <= 1.0 { 1.0 } else { f64::INFINITY }];
        Self { baseline, candidate, range }
    }

    /// The same scores within this range, made wide enough for them: rounding may put one outside.
    pub(super) fn within(self, range: &RangeInclusive<f64>) -> Self {
        let least = self.baseline.least.min(self.candidate.least);
        let largest = self.baseline.largest.max(self.candidate.largest);
        Self { range: [least.min(*range.start()), largest.max(*range.end())], ..self }
    }

    /// How far a score is from the lower end at most, as far as the range or the scores say.
    fn height(&self) -> f64 {
        self.width().unwrap_or(self.baseline.largest.max(self.candidate.largest) - self.low())
    }

    fn low(&self) -> f64 {
        if self.range[0].is_finite() { self.range[0] } else { self.baseline.least.min(self.candidate.least) }
    }

    /// How much the candidate typically loses on an unseen query, by the baseline's scores.
    pub(super) fn loss(&self) -> f64 {
        self.baseline.weighted_distance(self.low(), self.height())
    }

    /// How much the baseline typically loses on one, by the candidate's scores.
    pub(super) fn candidate_only(&self) -> f64 {
        self.candidate.weighted_distance(self.low(), self.height())
    }

    /// How much the candidate typically gains on one: by the points that the baseline lacks, or by those that the candidate has,
    /// whichever is more; the latter where scores have no upper end.
    pub(super) fn gain(&self) -> f64 {
        let lacking = self.width().map_or(0.0, |width| self.baseline.weighted_distance(self.range[1], width));
        lacking.max(self.candidate_only())
    }

    /// How far apart two scores can be at all; nothing where there is no such number.
    pub(super) fn width(&self) -> Option<f64> {
        let width = self.range[1] - self.range[0];
        width.is_finite().then_some(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_of_score_rests_on_its_query() {
        // (sum s^2 + 1) / (sum s + 1), and the same of what is lacking: by hand
        let scores = Extremes::new(&[0.5, 0.0, 1.0, 0.25], &[1.0, 1.0, 0.0, 0.0]);
        assert!((scores.loss() - 2.3125 / 2.75).abs() < 1e-15);
        assert_eq!((scores.candidate_only(), scores.gain(), scores.width()), (1.0, 1.0, Some(1.0)));
        let lacking = Extremes::new(&[0.5, 0.0, 1.0, 0.25], &[0.25; 4]);
        assert!((lacking.gain() - 2.8125 / 3.25).abs() < 1e-15);
        // as if everything lay 2 higher and were 3 times as far apart
        let moved = Extremes::new(&[3.5, 2.0, 5.0, 2.75], &[5.0, 5.0, 2.0, 2.0]).within(&(2.0..=5.0));
        assert!((moved.loss() - 3.0 * 2.3125 / 2.75).abs() < 1e-12);
        assert!((moved.gain() - 3.0).abs() < 1e-12);
        assert_eq!(moved.width(), Some(3.0));
    }

    #[test]
    fn what_no_query_scores_may_rest_on_one_that_was_not_seen() {
        let nothing = Extremes::new(&[0.0; 3], &[0.0, 0.5, 0.0]);
        assert_eq!((nothing.loss(), nothing.candidate_only()), (1.0, 1.25 / 1.5));
        let perfect = Extremes::new(&[1.0; 3], &[0.1 + 0.2, 1.0, 1.0]);
        assert_eq!((perfect.gain(), perfect.loss()), (1.0, 1.0));
        // where nearly everything is low, one query that was not seen may still lose half of the range
        let low = Extremes::new(&[1.0 / 30.0; 900], &[0.0; 900]);
        assert_eq!((low.loss(), low.candidate_only()), (0.5, 1.0));
        assert!((low.within(&(0.0..=4.0)).loss() - 2.0).abs() < 1e-12);
        // more queries tell more
        let many = Extremes::new(&[0.5; 1000], &[0.5; 1000]);
        assert!((many.loss() - 0.501).abs() < 1e-4);
    }

    #[test]
    fn scores_without_an_upper_end_go_as_far_as_they_were_seen_to() {
        let open = Extremes::new(&[0.5, 3.0], &[1.0, 1.0]);
        assert_eq!(open.width(), None);
        assert!((open.loss() - (9.25 + 9.0) / (3.5 + 3.0)).abs() < 1e-12);
        assert!((open.gain() - (2.0 + 9.0) / (2.0 + 3.0)).abs() < 1e-12);
        assert_eq!(Extremes::new(&[0.5, 0.1], &[1.0, 1.0]).within(&(0.0..=f64::INFINITY)).width(), None);
        // a score a rounding error outside is within
        let beyond = Extremes::new(&[1.0 + 1e-15], &[0.0]).within(&(0.0..=1.0));
        assert!((beyond.width().unwrap() - 1.0).abs() < 1e-12);
    }
}
