//! What gates demand of rankings alone: overlaps, blessed snapshots, the same answers twice.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Demand, is_kept};
use crate::model::{Expect, SnapshotState, Standing};

#[derive(Deserialize)]
pub(in crate::content) struct OverlapContent {
    expect: Expect,
    min: Option<f64>,
    to_min: Option<Standing>,
    likeness: LikenessContent,
    #[serde(default)]
    differing: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct LikenessContent {
    overlap: f64,
    identical: usize,
    queries: usize,
}

impl OverlapContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        let LikenessContent { overlap, identical, queries } = self.likeness;
        match (self.expect, self.min) {
            (Expect::Overlap, None) => Demand::Open("min", "there is no limit to hold it against".to_owned()),
            (_, Some(min)) => {
                let is_below = !is_kept(overlap, Some(min), None) || self.to_min == Some(Standing::Below);
                Demand::broken_if(is_below, "likeness", || format!("an overlap of {overlap} is below {min}"))
            }
            (_, None) => {
                let differ = identical < queries || !self.differing.is_empty();
                Demand::broken_if(differ, "likeness", || {
                    format!("{identical} of {queries} queries rank the same")
                })
            }
        }
    }
}

#[derive(Deserialize)]
pub(in crate::content) struct SnapshotContent {
    state: SnapshotState,
}

impl SnapshotContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        match self.state {
            SnapshotState::Same | SnapshotState::Blessed => Demand::Kept,
            SnapshotState::Differs => Demand::Broken("state", "what was blessed differs".to_owned()),
            SnapshotState::Missing => Demand::Broken("state", "nothing was blessed".to_owned()),
        }
    }
}

#[derive(Deserialize)]
pub(in crate::content) struct DeterministicContent {
    differing: Vec<IgnoredAny>,
    builds: Option<BuildsContent>,
}

#[derive(Deserialize)]
struct BuildsContent {
    repeated: Option<RepeatedContent>,
}

#[derive(Deserialize)]
struct RepeatedContent {
    differing: Vec<IgnoredAny>,
}

impl DeterministicContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        let repeated = self.builds.as_ref().and_then(|builds| builds.repeated.as_ref());
        let by_builds = repeated.map_or(0, |repeated| repeated.differing.len());
        let said = |differing: usize| format!("{differing} queries were answered in two ways");
        Demand::first([
            Demand::broken_if(!self.differing.is_empty(), "differing", || said(self.differing.len())),
            Demand::broken_if(by_builds > 0, "builds", || said(by_builds)),
        ])
    }
}
