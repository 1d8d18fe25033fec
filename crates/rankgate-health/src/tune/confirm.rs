//! The test of a chosen setting on the locked half.

use crate::content_hash::bytes_sha256;
use crate::stats::{
    ComparisonSettings, Confidence, Correction, Differences, Expectation, Interval, Outcome, Question,
    Stream, compare,
};
use crate::{Error, Result};

use super::choose::SweepScores;

/// What the locked half says of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// Mean of the setting less that of what stands today.
    pub difference: f64,
    /// The interval of the difference, where there is one.
    pub interval: Option<Interval>,
    /// The one-sided p-value of a gain.
    pub p: f64,
    /// What it has to be at most.
    pub level: f64,
    /// Whether a gain is shown.
    pub shown: bool,
}

impl SweepScores {
    /// Tests, by the paired test of gates, whether a setting gains on the locked half; `look` is the number of this look, and the
    /// level is divided by it.
    ///
    /// # Errors
    /// Scores that are no numbers; a look of number 0.
    pub fn confirm(
        &self,
        setting: &[f64],
        locked: &[usize],
        look: usize,
        (settings, stream): (&ComparisonSettings, &Stream),
    ) -> Result<Confirmed> {
        if look == 0 {
            return Err(Error::invalid("looks are counted from 1"));
        }
        // A loss of the metric is a gain where lower is better.
        let differences = match self.lower_is_better {
            false => self.differences(&self.today, setting, locked)?,
            true => self.differences(setting, &self.today, locked)?,
        };
        let confidence = Confidence::new(1.0 - settings.confidence.alpha() / look as f64)?;
        let tested = test(&differences, confidence, settings, stream)?;
        let interval = match look {
            1 => tested.interval.ok(),
            _ => test(&differences, settings.confidence, settings, stream)?.interval.ok(),
        };
        let is_flipped = self.lower_is_better;
        Ok(Confirmed {
            difference: if is_flipped { -differences.mean() } else { differences.mean() },
            interval: interval.map(|one| match is_flipped {
                true => Interval { low: -one.high, high: -one.low },
                false => one,
            }),
            p: tested.p_adjusted.0,
            level: confidence.tail(),
            shown: tested.decision.outcome == Outcome::Passed,
        })
    }

    /// SHA-256 of what both sides score on the locked half, by query.
    #[must_use]
    pub fn locked_sha256(&self, setting: &[f64], locked: &[usize]) -> String {
        let line = |at: &usize| {
            format!("{}\t{:x}\t{:x}\n", self.queries[*at], self.today[*at].to_bits(), setting[*at].to_bits())
        };
        let mut lines: Vec<String> = locked.iter().map(line).collect();
        lines.sort_unstable();
        bytes_sha256([lines.concat().as_bytes(), b""])
    }
}

fn test(
    differences: &Differences,
    confidence: Confidence,
    settings: &ComparisonSettings,
    stream: &Stream,
) -> Result<crate::stats::Comparison> {
    let mut question = Question::new(differences, stream);
    question.expectation = Expectation::Improvement { min_gain: 0.0 };
    let settings = ComparisonSettings { confidence, correction: Correction::None, ..settings.clone() };
    let mut tested = compare(&[question], &settings)?;
    tested.pop().ok_or_else(|| Error::invalid("nothing was tested"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Guarantee;

    /// 40 queries of which so many gain .1 and the others lose it: by the sign test, which the permutation test is for equal sizes,
    /// the chance of as many gains is the binomial tail.
    fn gains(gaining: usize) -> SweepScores {
        SweepScores {
            queries: (0..40).map(|query| format!("q{query}")).collect(),
            groups: None,
            today: vec![0.5; 40],
            settings: vec![(0..40).map(|query| if query < gaining { 0.6 } else { 0.4 }).collect()],
            range: 0.0..=1.0,
            lower_is_better: false,
        }
    }

    fn confirm(scores: &SweepScores, look: usize) -> Confirmed {
        let locked: Vec<usize> = (0..40).collect();
        // The permutation test alone.
        let settings = ComparisonSettings { guarantee: Guarantee::None, ..ComparisonSettings::default() };
        scores.confirm(&scores.settings[0], &locked, look, (&settings, &Stream::new(1))).unwrap()
    }

    #[test]
    fn each_look_asks_for_more() {
        // SciPy 1.17, binom.sf(27, 40, .5) = 0.008295, less than 0.025 / 3 = 0.00833 and more than 0.025 / 4.
        let scores = gains(28);
        for (look, level, shown) in [(1, 0.025, true), (2, 0.0125, true), (4, 0.00625, false)] {
            let confirmed = confirm(&scores, look);
            assert!((confirmed.level - level).abs() < 1e-12, "{look}");
            assert_eq!(confirmed.shown, shown, "{look}: {confirmed:?}");
            assert!((confirmed.difference - 0.04).abs() < 1e-12);
            // The interval is that of the report, whichever look it is.
            assert_eq!(confirmed.interval, confirm(&scores, 1).interval);
        }
        assert!(
            scores
                .confirm(&scores.settings[0], &[0], 0, (&ComparisonSettings::default(), &Stream::new(1)))
                .is_err()
        );
    }

    #[test]
    fn where_lower_is_better_a_loss_is_a_gain() {
        let scores = SweepScores { lower_is_better: true, ..gains(8) };
        let confirmed = confirm(&scores, 1);
        assert!(confirmed.shown && confirmed.difference < 0.0, "{confirmed:?}");
        let interval = confirmed.interval.unwrap();
        assert!(interval.low <= confirmed.difference && confirmed.difference <= interval.high);
        assert!(!confirm(&SweepScores { lower_is_better: true, ..gains(28) }, 1).shown);
    }

    #[test]
    fn the_same_scores_are_the_same_look() {
        let (scores, locked) = (gains(28), (0..40).collect::<Vec<_>>());
        let sha256 =
            |scores: &SweepScores, locked: &[usize]| scores.locked_sha256(&scores.settings[0], locked);
        let reversed: Vec<usize> = locked.iter().rev().copied().collect();
        assert_eq!(sha256(&scores, &locked), sha256(&scores, &reversed));
        assert_ne!(sha256(&scores, &locked), sha256(&gains(27), &locked));
        assert_ne!(sha256(&scores, &locked), sha256(&scores, &locked[1..]));
    }
}
