//! The truth of all queries.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::collection::Query;
use crate::error::Quoted;
use crate::metric::{Distances, Ties, TrueNeighbours};
use crate::run::{Hit, Run, RunReader};
use crate::words::counted;
use crate::{Error, Result};

use super::rows;

/// The true nearest neighbours of queries, and the distances beyond them where vectors are known.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// What messages call it.
    name: String,
    by_query: HashMap<String, TrueNeighbours, RandomState>,
    distances: Option<Arc<dyn Distances>>,
}

/// What the scores of a ranking say of distances.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// They fall: less is farther.
    Falling,
    /// They are distances.
    Rising,
    /// They say nothing.
    Unrelated,
}

impl Neighbours {
    /// Reads the truth of these queries: `.ivecs`, `.ibin`, or else a run, as any format of runs has it.
    ///
    /// Rows of vectors' files have no ids: row 7 is of the query with the id `7`, and a neighbour 12 is the document `12`.
    ///
    /// # Errors
    /// A file that is malformed or cut off, a negative number where a neighbour is named, a query without neighbours.
    pub fn read(path: &Path, queries: &[Query]) -> Result<Self> {
        let name = path.display().to_string();
        let by_query = match rows::Format::recognise(path) {
            Some(format) => rows::read(path, format, queries)?,
            None => {
                let run = RunReader::new().read(path)?;
                from_run(&run, queries.iter().map(|query| query.id.as_str()))
                    .map_err(|error| Error::in_file(path, error.to_string()))?
            }
        };
        Ok(Self { name, by_query, distances: None })
    }

    /// What a configuration ranked that searches exactly. Where it was asked for so many results and gave fewer, there are no
    /// more.
    ///
    /// # Errors
    /// A score that is no finite number.
    pub fn from_reference(name: &str, run: &Run, asked: Option<usize>) -> Result<Self> {
        let truth = Self { name: name.to_owned(), by_query: from_run(run, run.queries())?, distances: None };
        Ok(match asked {
            Some(depth) => truth.whole_below(depth),
            None => truth,
        })
    }

    /// The same with the distances of any document.
    #[must_use]
    pub fn with_distances(self, distances: Arc<dyn Distances>) -> Self {
        Self { distances: Some(distances), ..self }
    }

    /// The same under a tolerance.
    #[must_use]
    pub fn with_ties(mut self, ties: Ties) -> Self {
        self.change(|truth| truth.with_ties(ties));
        self
    }

    /// The same where each list has all that can be found, unless it has `depth` neighbours.
    #[must_use]
    pub fn whole_below(mut self, depth: usize) -> Self {
        self.change(|truth| if truth.len() < depth { truth.whole() } else { truth });
        self
    }

    fn change(&mut self, change: impl Fn(TrueNeighbours) -> TrueNeighbours) {
        for truth in self.by_query.values_mut() {
            *truth = change(truth.clone());
        }
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The distances of any document, where they are known.
    #[must_use]
    pub fn distances(&self) -> Option<&dyn Distances> {
        self.distances.as_deref()
    }

    /// Whether it says how far neighbours are, so that ties are seen.
    #[must_use]
    pub fn has_distances(&self) -> bool {
        self.by_query.values().all(|truth| truth.distances().all(|distance| distance.is_some()))
    }

    /// The neighbours of a query.
    ///
    /// # Errors
    /// A query of which it knows nothing.
    pub fn for_query(&self, query: &str) -> Result<&TrueNeighbours> {
        self.by_query.get(query).ok_or_else(|| {
            let name = &self.name;
            Error::invalid(format!("{name} has no neighbours of query {}", Quoted(query)))
        })
    }

    /// Refuses truth that ends above rank k, where more could be found.
    ///
    /// # Errors
    /// The first such query, and how many there are.
    pub fn check_depth(&self, queries: &[Query], k: usize) -> Result<()> {
        let is_short = |query: &&Query| {
            self.by_query.get(&query.id).is_some_and(|truth| truth.len() < k && !truth.is_whole())
        };
        let short: Vec<&Query> = queries.iter().filter(is_short).collect();
        let Some(first) = short.first() else { return Ok(()) };
        let len = self.by_query.get(&first.id).map_or(0, TrueNeighbours::len);
        let (name, id) = (&self.name, Quoted(&first.id));
        let others = match short.len() - 1 {
            0 => String::new(),
            more => format!(", and too few of {}", counted(more, "other query", "other queries")),
        };
        Err(Error::invalid(format!(
            "{name} has {} of query {id}, and {k} are needed{others}",
            counted(len, "true neighbour", "true neighbours")
        )))
    }
}

fn from_run<'a>(
    run: &Run,
    queries: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, TrueNeighbours, RandomState>> {
    let scores = scores_of(run);
    let mut by_query = HashMap::default();
    for query in queries {
        let Some(hits) = run.ranking(query) else {
            return Err(Error::invalid(format!("it has no neighbours of query {}", Quoted(query))));
        };
        let of_query = |error: Error| Error::invalid(format!("query {}: {error}", Quoted(query)));
        by_query.insert(query.to_owned(), from_hits(hits, scores).map_err(of_query)?);
    }
    Ok(by_query)
}

fn from_hits(hits: &[Hit], scores: Scores) -> Result<TrueNeighbours> {
    let signed = |sign: f64| hits.iter().map(move |hit| (hit.id.clone(), sign * hit.score));
    match scores {
        Scores::Falling => TrueNeighbours::new(signed(-1.0)),
        Scores::Rising => TrueNeighbours::new(signed(1.0)),
        Scores::Unrelated => TrueNeighbours::by_rank(hits.iter().map(|hit| hit.id.clone())),
    }
}

/// Of all queries together: whether a score is a distance does not change from query to query.
fn scores_of(run: &Run) -> Scores {
    let steps = || run.iter().flat_map(|(_, hits)| hits.windows(2));
    let falls = steps().any(|two| two[0].score > two[1].score);
    let rises = steps().any(|two| two[0].score < two[1].score);
    match (falls, rises) {
        (true, false) => Scores::Falling,
        (false, true) => Scores::Rising,
        // Of one neighbour each nothing is seen; and what is all the same is no distance.
        (true, true) | (false, false) => Scores::Unrelated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rankings: &[(&str, &[(&str, f64)])]) -> Run {
        let hits = |hits: &[(&str, f64)]| hits.iter().map(|(id, score)| Hit::new(*id, *score)).collect();
        Run::from_rankings(rankings.iter().map(|(query, ranked)| (*query, hits(ranked)))).unwrap()
    }

    fn distances(truth: &Neighbours, query: &str) -> Vec<Option<f64>> {
        truth.for_query(query).unwrap().distances().collect()
    }

    #[test]
    fn scores_fall_with_distance_or_are_distances_or_say_nothing() {
        let falling = run(&[("q1", &[("a", 0.9), ("b", 0.5)]), ("q2", &[("c", 0.7), ("d", 0.7)])]);
        let truth = Neighbours::from_reference("exact", &falling, Some(2)).unwrap();
        assert_eq!(distances(&truth, "q1"), [Some(-0.9), Some(-0.5)]);
        assert_eq!(distances(&truth, "q2"), [Some(-0.7), Some(-0.7)]);
        assert!(truth.has_distances());
        let rising = run(&[("q1", &[("a", 0.5), ("b", 0.9)])]);
        assert_eq!(
            distances(&Neighbours::from_reference("exact", &rising, Some(2)).unwrap(), "q1"),
            [Some(0.5), Some(0.9)]
        );
        for unrelated in
            [run(&[("q1", &[("a", 1.0), ("b", 1.0)])]), run(&[("q1", &[("a", 1.0), ("b", 2.0), ("c", 1.0)])])]
        {
            let truth = Neighbours::from_reference("exact", &unrelated, Some(2)).unwrap();
            assert!(distances(&truth, "q1").iter().all(Option::is_none) && !truth.has_distances());
        }
    }

    #[test]
    fn what_a_reference_has_no_more_of_is_whole() {
        let some = run(&[("q1", &[("a", 0.9), ("b", 0.5)]), ("q2", &[("c", 0.7)])]);
        let truth = Neighbours::from_reference("exact", &some, Some(2)).unwrap();
        assert!(!truth.for_query("q1").unwrap().is_whole() && truth.for_query("q2").unwrap().is_whole());
        let file = Neighbours::from_reference("exact", &some, None).unwrap();
        assert!(!file.for_query("q2").unwrap().is_whole());
        assert_eq!(truth.for_query("q3").unwrap_err().to_string(), "exact has no neighbours of query `q3`");
    }

    #[test]
    fn truth_shorter_than_k_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.run");
        std::fs::write(&path, "q1 Q0 a 1 -0.5 t\nq1 Q0 b 2 -0.7 t\nq2 Q0 a 1 -0.1 t\n").unwrap();
        let queries = ["q1", "q2"].map(|id| Query::new(id, ""));
        let truth = Neighbours::read(&path, &queries).unwrap();
        let place = path.display();
        assert_eq!(
            truth.check_depth(&queries, 3).unwrap_err().to_string(),
            format!(
                "{place} has 2 true neighbours of query `q1`, and 3 are needed, and too few of 1 other query"
            )
        );
        assert_eq!(
            truth.check_depth(&queries, 2).unwrap_err().to_string(),
            format!("{place} has 1 true neighbour of query `q2`, and 2 are needed")
        );
        // Under a filter that may be all that there is, where somebody says so.
        truth.whole_below(3).check_depth(&queries, 3).unwrap();
        let error = Neighbours::read(&path, &[Query::new("q3", "")]).unwrap_err().to_string();
        assert_eq!(error, format!("{place}: it has no neighbours of query `q3`"));
    }
}
