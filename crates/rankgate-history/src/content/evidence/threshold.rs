//! What a threshold demands of a value.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Demand, JudgedContent, held_interval, is_kept, is_open};
use crate::content::MetricContent;
use crate::model::{Bound, Limit, Standing};

#[derive(Deserialize)]
pub(in crate::content) struct ThresholdContent {
    pub(in crate::content) min: Option<f64>,
    pub(in crate::content) max: Option<f64>,
    pub(in crate::content) bound: Bound,
    pub(in crate::content) held: Option<f64>,
    broken: Option<Limit>,
    to_min: Option<LimitContent>,
    to_max: Option<LimitContent>,
    pub(in crate::content) measured: MetricContent,
    /// What people correct may lie beyond what a metric can be.
    pub(in crate::content) corrected: Option<JudgedContent>,
    pub(in crate::content) calibrated: Option<JudgedContent>,
    pub(in crate::content) every_query: Option<EveryQueryContent>,
}

#[derive(Deserialize)]
struct LimitContent {
    held: Option<Standing>,
}

#[derive(Deserialize)]
pub(in crate::content) struct EveryQueryContent {
    pub(in crate::content) worst: f64,
    #[serde(default)]
    queries: Vec<IgnoredAny>,
}

impl ThresholdContent {
    /// The value that the limits apply to, as its numbers have it.
    pub(in crate::content) fn expected(&self) -> Option<f64> {
        match self.bound {
            Bound::Mean => Some(self.measured.value),
            Bound::Lower => self.measured.interval.map(|[low, _]| low),
            Bound::Upper => self.measured.interval.map(|[_, high]| high),
            Bound::EveryQuery => self.every_query.as_ref().map(|report| report.worst),
        }
    }

    pub(in crate::content) fn shown(&self) -> Demand {
        let Self { min, max, corrected, calibrated, .. } = self;
        let by_value = match self.held.or_else(|| self.expected()) {
            Some(held) => {
                Demand::broken_if(!is_kept(held, *min, *max) || self.broken.is_some(), "held", || {
                    format!("{held} breaks its limit")
                })
            }
            None => Demand::Open("held", "there is no value to hold against its limit".to_owned()),
        };
        let beyond = |to: &Option<LimitContent>, side| to.as_ref().is_some_and(|to| to.held == Some(side));
        // Of what people correct the whole interval decides.
        let is_judged = corrected.is_some() || calibrated.is_some();
        let by_interval = match is_judged {
            true => held_interval("measured/interval", self.measured.interval, *min, *max),
            false => Demand::Kept,
        };
        let breaking = self.every_query.as_ref().map_or(0, |every| every.queries.len());
        let by_value = Demand::first([
            by_value,
            Demand::broken_if(beyond(&self.to_min, Standing::Below), "to_min", || {
                "its value is below the limit".to_owned()
            }),
            Demand::broken_if(beyond(&self.to_max, Standing::Above), "to_max", || {
                "its value is above the limit".to_owned()
            }),
        ]);
        Demand::first([
            by_value.undecided_if(is_judged),
            Demand::broken_if(breaking > 0, "every_query", || {
                format!("its limit is broken by {breaking} queries")
            }),
            by_interval,
        ])
        .while_open(is_open(&[corrected, calibrated]))
    }
}
