//! `DistanceRatio@k`: how far away the true neighbours are, relative to what was returned in their place.
//!
//! = mean over i of the distance of the i-th true neighbour / that of the i-th nearest document returned within k, each id
//! once. 1 where nothing nearer was missed; a missing result counts 0. It is the inverse, rank by rank, of the overall ratio
//! of Tao, Yi, Sheng and Kalnis, "Quality and Efficiency in High Dimensional Nearest Neighbor Search", SIGMOD 2009.

use std::collections::HashMap;

use super::{TrueNeighbours, sought};
use crate::error::Quoted;
use crate::metric::definition::{CutoffKind, Definition};
use crate::metric::parameters::Parameters;
use crate::metric::ranked_query::RankedQuery;
use crate::{Error, Result};

pub(in crate::metric) static DISTANCE_RATIO: Definition = Definition::of_neighbours(
    "DistanceRatio",
    "distance of the k true nearest neighbours / that of the top k, rank by rank",
    ratio,
)
.of_distances()
.written(&["DistanceRatio@k"])
.at(CutoffKind::Cutoff);

fn ratio(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let (truth, sought) = sought(asked, parameters)?;
    let exact = truth.distances().take(sought).collect::<Option<Vec<f64>>>();
    let exact = exact.ok_or_else(|| Error::invalid("the true neighbours come without distances"))?;
    if let Some((place, _, distance)) = truth.negative().filter(|(place, ..)| *place < sought) {
        let message = format!("the true neighbour {} is at {distance}", place + 1);
        return Err(Error::invalid(format!("{message}, and a ratio needs distances of 0 or more")));
    }
    let returned = returned(asked, truth, parameters)?;
    let of_rank = |(rank, exact): (usize, &f64)| match returned.get(rank) {
        None => 0.0,
        // What is nearer than the nearest is so by rounding.
        Some(distance) if distance <= exact => 1.0,
        Some(distance) => exact.max(0.0) / distance,
    };
    Ok(exact.iter().enumerate().map(of_rank).sum::<f64>() / sought as f64)
}

/// The distances of what was returned, each document once, nearest first.
fn returned(asked: &RankedQuery<'_>, truth: &TrueNeighbours, parameters: &Parameters) -> Result<Vec<f64>> {
    let mut returned = HashMap::new();
    for (document, distance) in asked.documents().iter().zip(asked.distances()).take(parameters.depth()) {
        match distance {
            Some(distance) => _ = returned.insert(document.id, *distance),
            // What cannot be a neighbour is as good as missing.
            None if truth.is_whole() => {}
            None => {
                let message = format!("the distance of {} is not known", Quoted(document.id));
                return Err(Error::invalid(format!("{message}: truth does not go so far")));
            }
        }
    }
    let mut returned: Vec<f64> = returned.into_values().collect();
    returned.sort_unstable_by(f64::total_cmp);
    Ok(returned)
}
