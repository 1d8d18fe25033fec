//! The true neighbours of one query.

use std::collections::HashSet;

use crate::error::Quoted;
use crate::order;
use crate::{Error, Result};

/// The true nearest neighbours of a query, nearest first: what exact search finds.
///
/// ```
/// use rankgate::metric::{Metric, RankedQuery, TrueNeighbours};
///
/// let truth = TrueNeighbours::new([("d1", 0.5), ("d2", 0.7), ("d3", 0.7)].map(|(id, far)| (id.to_owned(), far)))?;
/// let asked = RankedQuery::new(["d1", "d3"]).with_neighbours(&truth);
/// // d3 is as near as d2.
/// assert_eq!("NN@2".parse::<Metric>()?.compute_of_query(&asked)?, 1.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TrueNeighbours {
    nearest: Vec<Neighbour>,
    whole: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Neighbour {
    id: String,
    distance: Option<f64>,
}

impl TrueNeighbours {
    /// Neighbours with their distances, in any order: smaller is nearer. Equal distances are ordered by id.
    ///
    /// # Errors
    /// A document twice; a distance that is not a finite number.
    pub fn new(neighbours: impl IntoIterator<Item = (String, f64)>) -> Result<Self> {
        let mut nearest = Vec::new();
        for (id, distance) in neighbours {
            if !distance.is_finite() {
                return Err(Error::invalid(format!("the distance of {} is {distance}", Quoted(&id))));
            }
            // 0 and -0 are one distance.
            nearest.push(Neighbour { id, distance: Some(distance + 0.0) });
        }
        order::sort_by(&mut nearest, |a, b| {
            let distance = |neighbour: &Neighbour| neighbour.distance.unwrap_or_default();
            distance(a).total_cmp(&distance(b)).then_with(|| a.id.cmp(&b.id))
        });
        Self::distinct(nearest)
    }

    /// Neighbours without distances, nearest first: which of them tie is not known.
    ///
    /// # Errors
    /// A document twice.
    pub fn by_rank(ids: impl IntoIterator<Item = String>) -> Result<Self> {
        Self::distinct(ids.into_iter().map(|id| Neighbour { id, distance: None }).collect())
    }

    fn distinct(nearest: Vec<Neighbour>) -> Result<Self> {
        let mut seen = HashSet::with_capacity(nearest.len());
        if let Some(again) = nearest.iter().find(|neighbour| !seen.insert(neighbour.id.as_str())) {
            return Err(Error::invalid(format!("{} is a neighbour twice", Quoted(&again.id))));
        }
        Ok(Self { nearest, whole: false })
    }

    /// The same where no other document can be a neighbour, as under a filter: finding all of them is finding k.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nearest.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nearest.is_empty()
    }

    /// Whether no other document can be a neighbour.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Their distances, nearest first, as far as these are known.
    pub fn distances(&self) -> impl Iterator<Item = Option<f64>> {
        self.nearest.iter().map(|neighbour| neighbour.distance)
    }

    /// Their ids and distances, nearest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<f64>)> {
        self.nearest.iter().map(|neighbour| (neighbour.id.as_str(), neighbour.distance))
    }

    /// Whether the last of them ties with the k-th, so that others may tie which are not among them.
    pub(crate) fn ends_in_tie(&self, k: usize) -> bool {
        let distance = |neighbour: &Neighbour| neighbour.distance;
        let of_kth = k.checked_sub(1).and_then(|at| self.nearest.get(at)).and_then(distance);
        let of_last = self.nearest.last().and_then(distance);
        !self.whole && of_kth.zip(of_last).is_some_and(|(kth, last)| last <= kth)
    }

    /// Whether a document is as near as the first so many; its distance where that is known.
    pub(super) fn is_among(&self, count: usize, id: &str, distance: Option<f64>) -> bool {
        let last = count.checked_sub(1).and_then(|last| self.nearest.get(last));
        match (last.and_then(|last| last.distance), distance) {
            (Some(farthest), Some(distance)) => distance <= farthest,
            _ => self.nearest.iter().take(count).any(|neighbour| neighbour.id == id),
        }
    }
}
