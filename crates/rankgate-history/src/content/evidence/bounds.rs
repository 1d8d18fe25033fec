//! What a gate demands of both bounds over what is not judged.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Demand, held_interval};
use crate::model::Verdict;

#[derive(Deserialize)]
pub(in crate::content) struct BoundsContent {
    baseline: Option<IgnoredAny>,
    min: Option<f64>,
    max: Option<f64>,
    lowest: Option<BoundContent>,
    highest: Option<BoundContent>,
    open: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct BoundContent {
    interval: Option<[f64; 2]>,
    verdict: Verdict,
}

impl BoundsContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        let bound = |key: &'static str, bound: &Option<BoundContent>| {
            let Some(BoundContent { interval, verdict }) = bound else {
                return Demand::Open(key, "there is no such bound".to_owned());
            };
            let said = || format!("this bound comes to `{verdict}`");
            let by_verdict = match verdict {
                Verdict::Passed => Demand::Kept,
                Verdict::Failed => Demand::Broken(key, said()),
                _ => Demand::Open(key, said()),
            };
            // Of a comparison the limit is one of the difference, whose claims the verdict has.
            let by_interval = match self.baseline.is_some() {
                true => Demand::Kept,
                false => held_interval(key, *interval, self.min, self.max),
            };
            Demand::first([by_verdict, by_interval])
        };
        // One bound may break a limit that the other keeps.
        let both = [bound("lowest", &self.lowest), bound("highest", &self.highest)];
        let both = match both {
            [Demand::Broken(..), Demand::Broken(key, why)] => [Demand::Broken(key, why), Demand::Kept],
            both => both.map(|one| match one {
                Demand::Broken(key, why) => Demand::Open(key, why),
                one => one,
            }),
        };
        Demand::first(both).while_open(self.open.is_some())
    }
}
