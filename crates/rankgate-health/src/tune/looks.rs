//! Looks at the locked half: each is written into the golden folder, and makes the next claim harder.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::json::record;
use crate::metric::Polarity;
use crate::stats::Confidence;
use crate::words::counted;
use crate::{Error, Result};

/// By how much numbers may differ that are the same on two machines.
const ROUNDING: f64 = 1e-9;
/// By how many of their standard errors p-values may differ that are drawn by other seeds.
const DRAWN: f64 = 6.0;
/// By how much of their width the ends of intervals may differ that are drawn by other seeds.
const ENDS: f64 = 0.15;

record! {
    /// One look at the locked half of a benchmark's queries.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Look {
        /// Its number, from 1, of all looks at this benchmark.
        pub look: usize,
        /// The configuration.
        pub configuration: String,
        /// The metric.
        pub metric: String,
        /// What was chosen, by key.
        pub chosen: BTreeMap<String, String>,
        /// What stood then, by key.
        pub today: BTreeMap<String, String>,
        /// Queries of the locked half.
        pub queries: usize,
        /// Mean of what was chosen less mean of what stood.
        pub difference: f64,
        /// The interval of the difference, where there is one.
        pub interval?: Option<[f64; 2]>,
        /// The one-sided p-value of a gain.
        pub p: f64,
        /// What it had to be at most: half of 1 - confidence, over the number of the look.
        pub level: f64,
        /// Whether a gain is shown.
        pub shown: bool,
        /// The key of the hash that halves the queries.
        pub key: String,
        /// SHA-256 of the scores of both sides, by query: the same scores are no second look.
        pub scores: String,
    }
}

/// The looks in a file's text, JSON lines.
///
/// # Errors
/// A line that is no look, or that contradicts itself, or whose number is not that of its line: then looks were taken out, or
/// two branches looked.
pub(super) fn parse(path: &Path, text: &str, confidence: Confidence) -> Result<Vec<Look>> {
    let mut looks = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Error::in_file(path, format!("line {}: {why}", at + 1));
        let look: Look =
            serde_json::from_str(line).map_err(|error| wrong(format!("{error}: {}", Quoted(line))))?;
        let expected = looks.len() + 1;
        if look.look != expected {
            return Err(wrong(format!(
                "look {} where look {expected} belongs: looks were taken out, or two branches looked at once. Put back what is missing, \
                 or number them from 1 in the order in which they were made, each with the level and the verdict of its number",
                look.look
            )));
        }
        if let Some(why) = look.contradiction(confidence) {
            return Err(wrong(why));
        }
        looks.push(look);
    }
    Ok(looks)
}

/// The looks among lines that nothing else is asked of: those of a commit may be of any state of the file.
pub(super) fn read_lines(text: &str) -> Vec<Look> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

impl Look {
    /// Whether it is the same look, whatever its number: the same scores on the same metric.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.scores == other.scores && self.metric == other.metric
    }

    /// Whether the line agrees with itself: its level with its number, its verdict with its p-value and difference.
    fn contradiction(&self, confidence: Confidence) -> Option<String> {
        let level = level(confidence, self.look);
        if level.is_none_or(|level| (self.level - level).abs() > ROUNDING) {
            return Some(format!(
                "look {} says level {}, and with the confidence {} of the spec it is {}: put back what stood there, or the \
                 confidence that the look was made under",
                self.look,
                self.level,
                confidence.level(),
                level.unwrap_or_default()
            ));
        }
        if !(0.0..=1.0).contains(&self.p) {
            return Some(format!("look {} says p {}, and a p-value lies between 0 and 1", self.look, self.p));
        }
        let is_low = Polarity::of_name(&self.metric) == Polarity::LessIsBetter;
        let gain = if is_low { -self.difference } else { self.difference };
        if self.shown && (self.p > self.level || gain.is_nan() || gain <= 0.0) {
            return Some(format!(
                "look {} says that a gain is shown, with p {} at the level {} and a difference of {}: put back what stood there",
                self.look, self.p, self.level, self.difference
            ));
        }
        let is_beside =
            |[low, high]: [f64; 2]| self.difference < low - ROUNDING || self.difference > high + ROUNDING;
        self.interval.filter(|interval| is_beside(*interval)).map(|[low, high]| {
            format!(
                "look {} says difference {}, which is not between {low} and {high}: put back what stood there",
                self.look, self.difference
            )
        })
    }

    /// Checks that the line says what the test says of the same scores, by so many resamples.
    ///
    /// # Errors
    /// Another p-value, difference, interval, number of queries, half or verdict.
    pub(super) fn check_same(&self, path: &Path, tested: &Self, resamples: u64) -> Result<()> {
        // Resamples that another seed draws give a p-value and an interval of about the same size.
        let error = (tested.p * (1.0 - tested.p) / resamples.max(1) as f64).sqrt();
        let is_near = (self.p - tested.p).abs() <= DRAWN * error + ROUNDING;
        let is_same = (self.difference - tested.difference).abs() <= ROUNDING;
        let has_ends = match (self.interval, tested.interval) {
            (Some(said), Some([low, high])) => {
                let most = ENDS * (high - low) + ROUNDING;
                (said[0] - low).abs() <= most && (said[1] - high).abs() <= most
            }
            (said, tested) => said.is_none() && tested.is_none(),
        };
        let is_of_half = self.queries == tested.queries && self.key == tested.key;
        if is_near && is_same && has_ends && is_of_half && self.shown == tested.shown {
            return Ok(());
        }
        let said = |look: &Self| {
            let shown = if look.shown { "a gain is shown" } else { "no gain is shown" };
            let interval =
                look.interval.map_or("no interval".to_owned(), |[low, high]| format!("[{low}, {high}]"));
            format!(
                "difference {} {interval}, p {}, {} by the key {}: {shown}",
                look.difference,
                look.p,
                counted(look.queries, "query", "queries"),
                Quoted(&look.key)
            )
        };
        Err(Error::in_file(
            path,
            format!(
                "line of look {}: it says {}; the same scores say {}: put back what stood there, or what decides tests in the spec",
                self.look,
                said(self),
                said(tested)
            ),
        ))
    }

    /// What to know where the same scores are now those of another configuration or setting.
    pub(super) fn renamed(&self, tested: &Self) -> Option<String> {
        let named = |look: &Self| {
            let setting = |values: &BTreeMap<String, String>| {
                values.iter().map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
            };
            format!("{} with {} against {}", look.configuration, setting(&look.chosen), setting(&look.today))
        };
        let is_other = self.configuration != tested.configuration
            || self.chosen != tested.chosen
            || self.today != tested.today;
        is_other.then(|| {
            format!(
                "look {} was written of {}, and the same scores are now those of {}",
                self.look,
                named(self),
                named(tested)
            )
        })
    }

    /// That it was committed and is not there.
    pub(super) fn missing(&self, path: &Path, help: &str) -> Error {
        Error::in_file(
            path,
            format!(
                "look {} at {}, which was committed, is gone or changed, so that the next look would not count it: {help}",
                self.look,
                Quoted(&self.configuration)
            ),
        )
    }
}

/// What the p-value of a look has to be at most.
fn level(confidence: Confidence, look: usize) -> Option<f64> {
    Confidence::new(1.0 - confidence.alpha() / look as f64).ok().map(Confidence::tail)
}

/// The text of a file with these looks.
pub(super) fn to_lines(looks: &[Look]) -> Result<String> {
    let line = |look: &Look| serde_json::to_string(look).map(|text| text + "\n");
    looks.iter().map(line).collect::<Result<_, _>>().map_err(|error| Error::invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look() -> Look {
        Look {
            look: 1,
            configuration: "hybrid".to_owned(),
            metric: "RR@3".to_owned(),
            chosen: BTreeMap::new(),
            today: BTreeMap::new(),
            queries: 60,
            difference: 0.3,
            interval: Some([0.1, 0.5]),
            p: 0.001,
            level: 0.025,
            shown: true,
            key: "toy".to_owned(),
            scores: "ab".to_owned(),
        }
    }

    fn said(looks: &[Look]) -> String {
        let text = to_lines(looks).unwrap();
        match parse(Path::new("looks.jsonl"), &text, Confidence::default()) {
            Ok(read) => {
                assert_eq!(read, looks);
                String::new()
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_line_that_contradicts_itself_is_refused() {
        // 0.05 / 2 / 2 and 0.05 / 2 / 3, by hand.
        let second = Look { look: 2, level: 0.0125, ..look() };
        let third = Look { look: 3, level: 0.025 / 3.0, p: 0.01, shown: false, ..look() };
        assert_eq!(said(&[look(), second.clone(), third]), "");
        // The second test may keep a gain from being shown, whatever its p-value.
        assert_eq!(said(&[Look { shown: false, ..look() }]), "");
        // Less is better of silences.
        let low = Look { metric: "FalseSilence".to_owned(), difference: -0.3, interval: None, ..look() };
        assert_eq!(said(std::slice::from_ref(&low)), "");
        for (wrong, message) in [
            (
                Look { p: 0.93, ..look() },
                "look 1 says that a gain is shown, with p 0.93 at the level 0.025 and a difference of 0.3",
            ),
            (Look { difference: -0.3, interval: None, ..look() }, "and a difference of -0.3"),
            (Look { difference: 0.3, ..low }, "and a difference of 0.3"),
            (
                Look { level: 0.999, ..look() },
                "look 1 says level 0.999, and with the confidence 0.95 of the spec it is 0.025",
            ),
            (Look { p: -0.1, ..look() }, "a p-value lies between 0 and 1"),
            (
                Look { difference: 0.6, ..look() },
                "look 1 says difference 0.6, which is not between 0.1 and 0.5",
            ),
        ] {
            let said = said(&[wrong]);
            assert!(said.starts_with("looks.jsonl: line 1: ") && said.contains(message), "{said}");
        }
        assert!(said(&[look(), Look { level: 0.025, ..second }]).contains("line 2: look 2 says level 0.025"));
    }

    /// With p .001 and 10,000 resamples a standard error is sqrt(.001 * .999 / 10000) = .000316, and six are .0019, by hand.
    #[test]
    fn the_same_scores_say_the_same() {
        let path = Path::new("looks.jsonl");
        let check = |line: Look| line.check_same(path, &look(), 10_000).map_err(|error| error.to_string());
        assert_eq!(check(look()), Ok(()));
        assert_eq!(check(Look { p: 0.0028, interval: Some([0.15, 0.46]), ..look() }), Ok(()));
        let error = check(Look { p: 0.93, shown: false, ..look() }).unwrap_err();
        let said = "it says difference 0.3 [0.1, 0.5], p 0.93, 60 queries by the key `toy`: no gain is shown; the same scores \
                    say difference 0.3 [0.1, 0.5], p 0.001, 60 queries by the key `toy`: a gain is shown";
        assert!(error.contains(said), "{error}");
        for wrong in [
            Look { difference: 0.2, ..look() },
            Look { p: 0.003, ..look() },
            Look { interval: Some([0.2, 0.5]), ..look() },
            Look { interval: None, ..look() },
            Look { queries: 480, ..look() },
            Look { key: "other".to_owned(), ..look() },
            Look { shown: false, ..look() },
        ] {
            assert!(check(wrong.clone()).is_err(), "{wrong:?}");
        }
        let exact = Look { p: 0.0187, shown: true, ..look() };
        let error = Look { p: 1e-9, ..exact.clone() }.check_same(path, &exact, 10_000).unwrap_err();
        assert!(error.to_string().contains("p 0.000000001"), "{error}");
    }

    #[test]
    fn a_line_of_another_setting_is_told() {
        let values = |value: &str| BTreeMap::from([("k".to_owned(), value.to_owned())]);
        let tested = Look { chosen: values("60"), today: values("10"), ..look() };
        assert_eq!(tested.renamed(&tested), None);
        let line = Look { configuration: "old".to_owned(), chosen: values("1"), ..tested.clone() };
        assert_eq!(
            line.renamed(&tested).unwrap(),
            "look 1 was written of old with k 1 against k 10, and the same scores are now those of hybrid with k 60 against k 10"
        );
    }
}
