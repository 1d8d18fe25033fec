//! Which values of a metric are better.

use super::judged::JUDGED;
use super::metric::Metric;
use crate::{Error, Result};

/// Which values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// More is better, as of what measures relevance.
    MoreIsBetter,
    /// Less is better: it counts what goes wrong.
    LessIsBetter,
    /// Nothing says it, as of a length.
    Unknown,
}

impl Polarity {
    /// As the definition of the metric of this name has it. Nothing is known of one of a team's own.
    ///
    /// ```
    /// use rankgate::metric::Polarity;
    ///
    /// let all = ["nDCG@10", "FalseSilence", "NumRet", "TeamsOwn"].map(Polarity::of_name);
    /// use Polarity::{LessIsBetter, MoreIsBetter, Unknown};
    /// assert_eq!(all, [MoreIsBetter, LessIsBetter, Unknown, Unknown]);
    /// ```
    pub fn of_name(metric: &str) -> Self {
        metric.parse::<Metric>().map_or(Self::Unknown, |metric| metric.polarity())
    }

    /// The same where gates limit the metric and its definition does not say it: what all of them limit from above, or all
    /// from below, is better the further it is from there. Each limit is said as whether there is a least and a largest value.
    ///
    /// ```
    /// use rankgate::metric::Polarity;
    ///
    /// assert_eq!(Polarity::Unknown.or_limits([(false, true)]), Polarity::LessIsBetter);
    /// // Within a range neither end is better.
    /// assert_eq!(Polarity::Unknown.or_limits([(true, true)]), Polarity::Unknown);
    /// ```
    #[must_use]
    pub fn or_limits(self, limits: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (mut least, mut most) = (false, false);
        for (min, max) in limits {
            (least, most) = (least || min, most || max);
        }
        match (self, least, most) {
            (Self::Unknown, true, false) => Self::MoreIsBetter,
            (Self::Unknown, false, true) => Self::LessIsBetter,
            _ => self,
        }
    }
}

impl Metric {
    /// Which values of it are better, as far as its definition says.
    ///
    /// ```
    /// use rankgate::metric::{Metric, Polarity};
    ///
    /// let polarity = |name: &str| name.parse::<Metric>().map(|metric| metric.polarity());
    /// assert_eq!(polarity("nDCG@10")?, Polarity::MoreIsBetter);
    /// assert_eq!(polarity("FalseAnswer")?, Polarity::LessIsBetter);
    /// assert_eq!(polarity("NumRet")?, Polarity::Unknown);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn polarity(&self) -> Polarity {
        let needs = self.requirements();
        match self.column_polarity() {
            Some(polarity) => polarity,
            None if self.is_of_silence() => Polarity::LessIsBetter,
            None if needs.relevance => Polarity::MoreIsBetter,
            // Of a length nobody knows whether it is wanted.
            None => Polarity::Unknown,
        }
    }

    /// Whether more of it is better: it is not of counts, and not of what measures no relevance.
    pub fn is_best_high(&self) -> bool {
        self.polarity() == Polarity::MoreIsBetter && !self.base().is_count()
    }

    /// Whether less of it is better: it counts what goes wrong.
    ///
    /// ```
    /// use rankgate::metric::Metric;
    ///
    /// let metric: Metric = "FalseAnswer".parse()?;
    /// assert!(metric.is_best_low() && !metric.is_best_high());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn is_best_low(&self) -> bool {
        self.polarity() == Polarity::LessIsBetter
    }
}

#[doc(hidden)]
impl Metric {
    /// Whether a rise of the metric of this name is a gain, as far as anybody knows: one of a team's own is taken for one.
    pub fn takes_rise_for_gain(name: &str) -> bool {
        name.parse::<Self>().map_or(true, |metric| metric.check_gain().is_ok())
    }

    /// Refuses a metric whose rise is no gain: of which less is better, or of which nobody knows.
    ///
    /// # Errors
    ///
    /// As said.
    pub fn check_gain(&self) -> Result<()> {
        // Where more was judged, more is known.
        let is_of_judgments =
            self.base_definition().is_some_and(|definition| definition.name() == JUDGED.name());
        let why = match self.polarity() {
            Polarity::MoreIsBetter => return Ok(()),
            Polarity::Unknown if is_of_judgments => return Ok(()),
            Polarity::LessIsBetter => format!("less of {self} is better"),
            Polarity::Unknown => format!("nothing says whether more of {self} is better"),
        };
        Err(Error::invalid(format!("{why}, and a comparison takes more for better")))
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::{Metric, Polarity};

    #[test]
    fn what_is_better_is_known_of_relevance_and_of_what_goes_wrong() {
        for (name, polarity) in [
            ("nDCG@10", Polarity::MoreIsBetter),
            ("NumRelRet", Polarity::MoreIsBetter),
            ("FalseSilence", Polarity::LessIsBetter),
            ("FalseAnswer", Polarity::LessIsBetter),
            ("Judged@10", Polarity::Unknown),
            ("NumRet", Polarity::Unknown),
        ] {
            assert_eq!(name.parse::<Metric>().unwrap().polarity(), polarity, "{name}");
        }
    }

    #[test]
    fn limits_say_what_is_better_where_the_definition_does_not() {
        let limits: [(&[(bool, bool)], Polarity); 5] = [
            (&[], Polarity::Unknown),
            (&[(false, true)], Polarity::LessIsBetter),
            (&[(true, false), (true, false)], Polarity::MoreIsBetter),
            (&[(true, true)], Polarity::Unknown),
            (&[(true, false), (false, true)], Polarity::Unknown),
        ];
        for (limits, expected) in limits {
            assert_eq!(Polarity::Unknown.or_limits(limits.iter().copied()), expected, "{limits:?}");
            let known = Polarity::LessIsBetter.or_limits(limits.iter().copied());
            assert_eq!(known, Polarity::LessIsBetter, "{limits:?}");
        }
    }

    #[test]
    fn a_rise_is_a_gain_where_something_is_found() {
        for (name, is_gain) in [
            ("nDCG@10", true),
            ("NumRelRet", true),
            ("nDCG@10>=0.5", true),
            ("NumRet", false),
            ("NumRet>=1", false),
            ("Judged@10", true),
            ("FalseAnswer", false),
        ] {
            let metric: Metric = name.parse().unwrap();
            assert_eq!(metric.check_gain().is_ok(), is_gain, "{name}");
        }
    }
}
