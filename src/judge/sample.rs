//! Which queries people judge: drawn by a rule that anyone can repeat, before any score is looked at.

use std::collections::{BTreeMap, BTreeSet};

use hmac_sha256::Hash as Sha256;
use serde::{Deserialize, Serialize};

use super::item::sha256;
use super::strata::Strata;
use crate::{Error, Result};

/// A sample as its file begins with it: its members, and the proof that they were not chosen by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sample {
    /// The first delivery of grades by which the judge's errors are known; earlier ones showed that these have changed.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub calibrate_from: u32,
    /// SHA-256 of the ids that it was drawn from, one a line, sorted.
    pub collection: String,
    /// The drawn queries, or groups of them, in the order of their ids.
    pub drawn: Vec<String>,
    /// What groups them, where groups were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What the judgments of the judge that it is to correct call it: one that was changed since may have been
    /// fitted to the sample, which then corrects nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Of how many.
    pub of: usize,
    /// What the draw is keyed with.
    pub seed: u64,
    /// The parts of the collection that were drawn from one by one; nothing where all queries were drawn from together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<Strata>,
    /// Whether it grows until verdicts are there: limits then hold at every look, and are wider than those of a sample whose
    /// size was fixed before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until: bool,
}

fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_first(batch: &u32) -> bool {
    *batch == first()
}

impl Sample {
    /// Draws so many queries, or groups of them, from all that there are.
    ///
    /// Each id is hashed with the seed, and the smallest hashes are drawn: a collection that grows keeps most of
    /// its sample, and one more drawn query leaves the others in. What they are grouped by, and which judge they are to
    /// correct, is for the caller to say: without a judge a gate stays inconclusive.
    ///
    /// # Errors
    ///
    /// More than there are, or fewer than two.
    pub fn draw(ids: &[&str], size: usize, seed: u64) -> Result<Self> {
        Self::of_kind(ids, size, seed, (false, None))
    }

    /// The first so many of a sample that grows until verdicts are there. It is another draw than that of a size fixed before,
    /// so that neither can be taken for the other.
    ///
    /// # Errors
    ///
    /// As of [`draw`](Self::draw).
    pub fn begin(ids: &[&str], size: usize, seed: u64) -> Result<Self> {
        Self::of_kind(ids, size, seed, (true, None))
    }

    /// Draws so many of all, from each stratum about as many as it is large and at least five, and from each as
    /// [`draw`](Self::draw) does. A larger sample holds the smaller one.
    ///
    /// # Errors
    ///
    /// As of [`draw`](Self::draw); strata that do not hold each id once, fewer than the strata need.
    pub fn draw_strata(ids: &[&str], size: usize, seed: u64, strata: Strata) -> Result<Self> {
        Self::of_kind(ids, size, seed, (false, Some(strata)))
    }

    fn of_kind(
        ids: &[&str],
        size: usize,
        seed: u64,
        (until, strata): (bool, Option<Strata>),
    ) -> Result<Self> {
        if size < 2 || size > ids.len() {
            return Err(Error::invalid(format!(
                "{size} of {} queries cannot be drawn: at least 2, and no more than there are",
                ids.len()
            )));
        }
        Ok(Self {
            calibrate_from: first(),
            collection: collection(ids),
            drawn: drawn_of(ids, size, (seed, until), strata.as_ref())?,
            cluster: None,
            judge: None,
            of: ids.len(),
            seed,
            strata,
            until,
        })
    }

    /// The stratum of each query, or group of them, by its place; none where all were drawn from together.
    pub(crate) fn strata_of_units(&self) -> BTreeMap<String, usize> {
        let all = self.strata.iter().flat_map(|strata| (0..).zip(strata.of.values()));
        all.flat_map(|(at, members)| members.iter().map(move |id| (id.clone(), at))).collect()
    }

    /// Whether this is what the seed draws from these ids.
    ///
    /// # Errors
    ///
    /// Why it is not: another collection, or a draw that was edited.
    pub fn check(&self, ids: &[&str]) -> Result<()> {
        let collection = collection(ids);
        if self.collection != collection {
            return Err(Error::invalid(format!(
                "the sample was drawn from other queries ({} of them, {}): there are {} now, {}; draw it again, people's grades are kept",
                self.of,
                short(&self.collection),
                ids.len(),
                short(&collection)
            )));
        }
        let expected = drawn_of(ids, self.drawn.len(), (self.seed, self.until), self.strata.as_ref())?;
        match self.drawn.iter().find(|id| !expected.contains(id)) {
            None if expected == self.drawn => Ok(()),
            None => Err(Error::invalid(
                "the drawn queries are not in the order of their ids: the draw was edited",
            )),
            Some(id) => Err(Error::invalid(format!(
                "`{id}` was not drawn by seed {}: a sample that somebody picks says nothing of the other queries",
                self.seed
            ))),
        }
    }
}

/// The ids with the smallest hashes, of all or of each stratum, in their own order.
fn drawn_of(
    ids: &[&str],
    size: usize,
    (seed, until): (u64, bool),
    strata: Option<&Strata>,
) -> Result<Vec<String>> {
    let Some(strata) = strata else { return Ok(drawn(ids, size, seed, until)) };
    let members: Vec<&str> = strata.of.values().flatten().map(String::as_str).collect();
    let known: BTreeSet<&str> = members.iter().copied().collect();
    if known.len() != members.len() || known != ids.iter().copied().collect() {
        return Err(Error::invalid(format!(
            "the strata of {} hold other queries than there are, or hold one twice: draw it again, people's grades are kept",
            strata.by
        )));
    }
    let of_stratum = |(members, size): (&Vec<String>, usize)| {
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        drawn(&members, size, seed, until)
    };
    let mut all: Vec<String> =
        strata.of.values().zip(strata.allocation(size)?).flat_map(of_stratum).collect();
    all.sort_unstable();
    Ok(all)
}

/// The ids with the smallest hashes, in their own order.
fn drawn(ids: &[&str], size: usize, seed: u64, until: bool) -> Vec<String> {
    let key = |id: &str| -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        if until {
            hash.update(b"until");
        }
        hash.update(id.as_bytes());
        hash.finalize()
    };
    let mut keyed: Vec<([u8; 32], &str)> = ids.iter().map(|id| (key(id), *id)).collect();
    keyed.sort_unstable();
    let mut drawn: Vec<String> = keyed.into_iter().take(size).map(|(_, id)| id.to_owned()).collect();
    drawn.sort_unstable();
    drawn
}

/// SHA-256 of ids, one a line, sorted.
fn collection(ids: &[&str]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    sha256(ids.join("\n").as_bytes())
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("q{at}")).collect()
    }

    fn as_strs(ids: &[String]) -> Vec<&str> {
        ids.iter().map(String::as_str).collect()
    }

    #[test]
    fn a_collection_that_grows_keeps_most_of_its_sample() {
        let (few, more) = (ids(200), ids(220));
        let one = Sample::draw(&as_strs(&few), 40, 7).unwrap();
        let grown = Sample::draw(&as_strs(&more), 40, 7).unwrap();
        let kept = one.drawn.iter().filter(|id| grown.drawn.contains(id)).count();
        assert!((32..40).contains(&kept), "{kept}");
        // A larger sample holds the smaller one; the order of the ids does not matter.
        let larger = Sample::draw(&as_strs(&few), 60, 7).unwrap();
        assert!(one.drawn.iter().all(|id| larger.drawn.contains(id)));
        let mut backwards = as_strs(&few);
        backwards.reverse();
        assert_eq!(Sample::draw(&backwards, 40, 7).unwrap(), one);
        assert_ne!(Sample::draw(&as_strs(&few), 40, 8).unwrap().drawn, one.drawn);
    }

    #[test]
    fn a_sample_that_grows_is_not_taken_for_one_of_a_fixed_size() {
        let ids = ids(200);
        let one = Sample::begin(&as_strs(&ids), 30, 7).unwrap();
        assert!(one.until && one.check(&as_strs(&ids)).is_ok());
        let more = Sample::begin(&as_strs(&ids), 40, 7).unwrap();
        assert!(one.drawn.iter().all(|id| more.drawn.contains(id)));
        for edited in [Sample { until: false, ..one.clone() }, Sample { until: true, ..draw_of(&ids) }] {
            let error = edited.check(&as_strs(&ids)).unwrap_err().to_string();
            assert!(error.contains("was not drawn by seed 7"), "{error}");
        }
        // What a fixed sample is written as stays what it was.
        assert!(!serde_json::to_string(&draw_of(&ids)).unwrap().contains("until"));
    }

    fn draw_of(ids: &[String]) -> Sample {
        Sample::draw(&as_strs(ids), 30, 7).unwrap()
    }

    #[test]
    fn every_query_is_drawn_as_often() {
        let ids = ids(20);
        let mut times = [0_u32; 20];
        for seed in 0..4_000 {
            for id in Sample::draw(&as_strs(&ids), 5, seed).unwrap().drawn {
                times[id[1..].parse::<usize>().unwrap()] += 1;
            }
        }
        // 1,000 each, with a standard deviation of 27
        assert!(times.iter().all(|times| (880..1120).contains(times)), "{times:?}");
    }

    #[test]
    fn a_hand_picked_sample_is_refused() {
        let ids = ids(50);
        let drawn = Sample::draw(&as_strs(&ids), 10, 1).unwrap();
        assert!(drawn.check(&as_strs(&ids)).is_ok());
        let other = ids.iter().find(|id| !drawn.drawn.contains(id)).unwrap().clone();
        let mut picked = drawn.clone();
        picked.drawn[3] = other.clone();
        picked.drawn.sort();
        let error = picked.check(&as_strs(&ids)).unwrap_err().to_string();
        assert!(error.contains(&format!("`{other}` was not drawn by seed 1")), "{error}");
        // Fewer than were drawn are another draw of the seed, which is as random.
        let mut left_out = drawn.clone();
        left_out.drawn.remove(0);
        let smaller = Sample::draw(&as_strs(&ids), 9, 1).unwrap();
        assert_eq!(left_out.check(&as_strs(&ids)).is_ok(), left_out == smaller);
        let others = as_strs(&ids)[1..].to_vec();
        assert!(drawn.check(&others).unwrap_err().to_string().contains("drawn from other queries"));
        assert!(Sample::draw(&as_strs(&ids), 51, 1).is_err() && Sample::draw(&as_strs(&ids), 1, 1).is_err());
    }
}
