//! What may stand between a metric's name and its cutoff, and at the cutoff's place.

use std::fmt;

use super::gain::Gain;
use super::judged_ranking::JudgedRanking;

/// A parameter that some metrics take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// `rel=g`: the lowest grade that counts as relevant.
    Rel,
    /// `gain=linear`, `gain=exp2`; or as `ir_measures` writes it, `dcg=log2`, `dcg=exp-log2`.
    Gain,
    /// `beta=b`: how many times as important as precision recall is.
    Beta,
    /// `p=x`: the probability that a reader goes on to the next rank.
    Persistence,
    /// `max=g`: the largest grade of the scale.
    Max,
    /// `p=x`: the weight of a depth, as a share of the one above.
    Depth,
    /// `alpha=x`: how little a second document on the same subtopic is worth.
    Alpha,
    /// `beta=x`: the probability that a reader goes on to the next rank.
    Patience,
}

impl Parameter {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rel => "rel",
            Self::Gain => "gain",
            Self::Alpha => "alpha",
            Self::Beta | Self::Patience => "beta",
            Self::Persistence | Self::Depth => "p",
            Self::Max => "max",
        }
    }

    pub(super) fn is_called(self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.name()) || self == Self::Gain && name.eq_ignore_ascii_case("dcg")
    }
}

/// The values of a metric's parameters, defaults where the name does not say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Parameters {
    rel: Option<i32>,
    pub(super) gain: Gain,
    pub(super) beta: Number,
    pub(super) persistence: Number,
    pub(super) depth_persistence: Number,
    pub(super) alpha: Number,
    pub(super) patience: Number,
    pub(super) max: Option<i32>,
    pub(super) recall: Number,
    cutoff: Option<usize>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rel: None,
            gain: Gain::Linear,
            beta: Number::new(1.0),
            persistence: Number::new(0.8),
            depth_persistence: Number::new(0.95),
            alpha: Number::new(HALF),
            patience: Number::new(HALF),
            max: None,
            recall: Number::new(0.0),
            cutoff: None,
        }
    }
}

impl Parameters {
    /// Defaults but for the cutoff.
    pub(super) fn cut_at(cutoff: Option<usize>) -> Self {
        Self { cutoff, ..Self::default() }
    }

    /// The lowest relevant grade: as the name says, else as the ranking says.
    pub(super) fn rel(&self, ranking: &JudgedRanking) -> i32 {
        self.rel.unwrap_or_else(|| ranking.relevant_from())
    }

    /// The lowest grade that gains anything, which only the name restricts.
    pub(super) fn gains_from(&self) -> i32 {
        self.rel.unwrap_or(1)
    }

    pub(super) fn cutoff(&self) -> Option<usize> {
        self.cutoff
    }

    /// The cutoff, without one the whole ranking.
    pub(super) fn depth(&self) -> usize {
        self.cutoff.unwrap_or(usize::MAX)
    }

    /// Sets a parameter from what is written after its `=`; the error is what that should have been.
    pub(super) fn set(&mut self, parameter: Parameter, value: &str) -> Result<(), &'static str> {
        match parameter {
            Parameter::Rel => {
                self.rel =
                    Some(digits(value).ok_or("a grade of 0 or more (negative grades are never relevant)")?);
            }
            Parameter::Gain => {
                self.gain = match value.to_ascii_lowercase().as_str() {
                    "log2" => Gain::Linear,
                    "exp-log2" => Gain::Exp2,
                    _ => gain(value)?,
                };
            }
            Parameter::Beta => {
                self.beta = number(value, |beta| beta <= LARGEST_BETA, "a number from 0 to 1000")?
            }
            Parameter::Persistence => self.persistence = number(value, is_inside, BETWEEN)?,
            Parameter::Max => self.max = Some(digits(value).ok_or("a grade of 0 or more")?),
            Parameter::Depth => self.depth_persistence = number(value, is_inside, BETWEEN)?,
            Parameter::Alpha => self.alpha = number(value, |alpha| alpha <= 1.0, "a number from 0 to 1")?,
            Parameter::Patience => {
                self.patience = number(value, |beta| beta < 1.0, "a number from 0 to below 1")?;
            }
        }
        Ok(())
    }

    /// Sets beta from its square, which is what `trec_eval` calls the parameter of `set_F`.
    pub(super) fn set_beta_squared(&mut self, value: &str) -> Result<(), &'static str> {
        let is_square = |square: f64| square.sqrt() <= LARGEST_BETA;
        self.beta =
            Number::new(number(value, is_square, "the square of a beta from 0 to 1000")?.get().sqrt());
        Ok(())
    }

    pub(super) fn set_recall(&mut self, value: &str) -> Result<(), &'static str> {
        self.recall = number(value, |recall| recall <= 1.0, "a number from 0 to 1, as in `IPrec@0.1`")?;
        Ok(())
    }

    pub(super) fn set_cutoff(&mut self, value: &str) -> Result<(), &'static str> {
        let cutoff = digits(value).ok_or("a whole number of documents, as in `@10`")?;
        if cutoff == 0 {
            return Err("at least 1: ranks start at 1");
        }
        self.cutoff = Some(cutoff.unsigned_abs() as usize);
        Ok(())
    }

    /// `name=value` as the canonical name shows it: nothing for a default.
    ///
    /// The persistence is always shown, as tools disagree about its default (0.8 in `ir_measures`,
    /// 0.9 in `trec_eval`), and so is a `rel` that was written, as the default is the benchmark's.
    pub(super) fn shown(&self, parameter: Parameter) -> Option<String> {
        let value = match parameter {
            Parameter::Rel => self.rel?.to_string(),
            Parameter::Gain if self.gain == Gain::default() => return None,
            Parameter::Gain => self.gain.name().to_owned(),
            Parameter::Beta if self.beta.get() == 1.0 => return None,
            Parameter::Beta => self.beta.to_string(),
            Parameter::Persistence => self.persistence.to_string(),
            Parameter::Depth => self.depth_persistence.to_string(),
            Parameter::Alpha if self.alpha.get() == HALF => return None,
            Parameter::Alpha => self.alpha.to_string(),
            Parameter::Patience if self.patience.get() == HALF => return None,
            Parameter::Patience => self.patience.to_string(),
            Parameter::Max => self.max?.to_string(),
        };
        Some(format!("{}={value}", parameter.name()))
    }
}

/// What `ndeval` takes for alpha and beta.
const HALF: f64 = 0.5;

/// Beyond it recall is all that counts, and its square is nowhere near overflowing.
const LARGEST_BETA: f64 = 1000.0;

fn gain(value: &str) -> Result<Gain, &'static str> {
    let named = [Gain::Linear, Gain::Exp2].into_iter().find(|gain| value.eq_ignore_ascii_case(gain.name()));
    named.ok_or("linear or exp2")
}

/// Digits only: `FromStr` would also take a sign.
fn digits(text: &str) -> Option<i32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Digits and a decimal point only: `FromStr` would also take `1e3`, `-0`, `inf` and `nan`.
fn decimal(text: &str) -> Option<f64> {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then(|| text.parse().ok())?
}

const BETWEEN: &str = "a number between 0 and 1";

fn is_inside(number: f64) -> bool {
    0.0 < number && number < 1.0
}

/// A number of a range; the error is what it should have been.
fn number(text: &str, is: impl Fn(f64) -> bool, expected: &'static str) -> Result<Number, &'static str> {
    decimal(text).filter(|number| is(*number)).map(Number::new).ok_or(expected)
}

/// A number read by [`decimal`]: finite and not negative, so that numbers sort as their bits do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Number(u64);

impl Number {
    const fn new(number: f64) -> Self {
        Self(number.to_bits())
    }

    pub(super) const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits() {
        // text, as a whole number, as a decimal
        for (text, as_whole, as_decimal) in [
            ("10", Some(10), Some(10.0)),
            ("007", Some(7), Some(7.0)),
            ("0.10", None, Some(0.1)),
            (".80", None, Some(0.8)),
            ("99999999999", None, Some(99_999_999_999.0)),
            ("", None, None),
            (".", None, None),
            ("1.2.3", None, None),
            ("-1", None, None),
            ("+1", None, None),
            ("1e3", None, None),
            ("inf", None, None),
            ("nan", None, None),
        ] {
            assert_eq!((digits(text), decimal(text)), (as_whole, as_decimal), "{text:?}");
        }
    }
}
