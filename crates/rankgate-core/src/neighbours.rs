//! The true nearest neighbours of a benchmark's queries, from a run file or from what exact search ranked.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::collection::{CorpusIds, Query};
use crate::error::Quoted;
use crate::metric::TrueNeighbours;
use crate::run::{Hit, Order, Run, RunReader};
use crate::words::counted;
use crate::{Error, Result};

/// The true nearest neighbours of queries.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// What messages call it.
    name: String,
    by_query: HashMap<String, TrueNeighbours, RandomState>,
    /// Whether nobody knows which documents there are.
    unchecked: bool,
}

/// The direction of a ranking's scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scores {
    /// They fall: less is farther.
    Falling,
    /// They are distances.
    Rising,
    /// They do both or neither, and are no distances.
    Neither,
}

impl Neighbours {
    /// Reads the truth of these queries from a run in any format.
    ///
    /// # Errors
    /// A file that is malformed, a query without neighbours.
    pub fn read(path: &Path, queries: &[Query]) -> Result<Self> {
        let run = read_run(path)?;
        let ids = queries.iter().map(|query| query.id.as_str());
        let by_query = from_rankings(ids, &run).map_err(|error| Error::in_file(path, error.to_string()))?;
        Ok(Self { name: path.display().to_string(), by_query, unchecked: false })
    }

    /// What a configuration ranked that searches exactly. Where it was asked for so many results and gave fewer, there are no
    /// more.
    ///
    /// # Errors
    /// A score that is no finite number.
    pub fn from_reference(name: &str, run: &Run, asked: Option<usize>) -> Result<Self> {
        let by_query = from_rankings(run.queries(), run)?;
        let truth = Self { name: name.to_owned(), by_query, unchecked: false };
        Ok(match asked {
            Some(depth) => truth.whole_below(depth),
            None => truth,
        })
    }

    /// The same where nobody knows which documents there are, so that [`check_ids`](Self::check_ids) cannot look.
    #[must_use]
    pub fn unchecked(self) -> Self {
        Self { unchecked: true, ..self }
    }

    /// The same where each list has all that can be found, unless it has `depth` neighbours.
    #[must_use]
    pub fn whole_below(mut self, depth: usize) -> Self {
        for truth in self.by_query.values_mut().filter(|truth| truth.len() < depth) {
            *truth = truth.clone().whole();
        }
        self
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its neighbours may be no documents at all.
    pub fn is_unchecked(&self) -> bool {
        self.unchecked
    }

    /// Whether it says how far neighbours are, so that ties are seen.
    pub fn has_distances(&self) -> bool {
        self.by_query.values().all(|truth| truth.distances().all(|distance| distance.is_some()))
    }

    /// Of how many of these queries the neighbours end with one that ties with the k-th, so that nobody knows what else does.
    pub fn ends_in_ties(&self, queries: &[Query], k: usize) -> usize {
        let ends = |query: &&Query| self.by_query.get(&query.id).is_some_and(|truth| truth.ends_in_tie(k));
        queries.iter().filter(ends).count()
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

    /// Refuses neighbours that no search can find, since there is no such document.
    ///
    /// # Errors
    /// The first of them in the order of the queries, and how many other queries have one.
    pub fn check_ids(&self, queries: &[Query], corpus: &CorpusIds) -> Result<()> {
        let unknown = |query: &Query| {
            let truth = self.by_query.get(&query.id)?;
            truth.iter().map(|(id, _)| id).enumerate().find(|(_, id)| !corpus.contains(id))
        };
        let mut wrong = queries.iter().filter_map(|query| Some((query, unknown(query)?)));
        let Some((query, (place, id))) = wrong.next() else { return Ok(()) };
        let (name, id, place, example) = (&self.name, Quoted(id), place + 1, Quoted(corpus.example()));
        let query = Quoted(&query.id);
        let others = match wrong.count() {
            0 => String::new(),
            more => format!(". So it is with {}", counted(more, "other query", "other queries")),
        };
        Err(Error::invalid(format!(
            "{name}: query {query} names {id} as neighbour {place}, and the corpus has no such document; its ids are such as {example}{others}"
        )))
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

/// A run of truth. One whose scores rise with its ranks has distances: read by score, what is farthest would come first.
fn read_run(path: &Path) -> Result<Run> {
    let run = RunReader::new().read(path)?;
    if run.rising().upside_down().is_none() {
        return Ok(run);
    }
    if run.rising().is_without_ranks() {
        let message = "its scores rise within a query, as distances do, and it has no ranks that say so: write distances with a \
                       minus, or a file with ranks";
        return Err(Error::in_file(path, message));
    }
    RunReader::new().order(Order::Rank).read(path)
}

fn from_rankings<'a>(
    queries: impl Iterator<Item = &'a str>,
    run: &Run,
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
        Scores::Neither => TrueNeighbours::by_rank(hits.iter().map(|hit| hit.id.clone())),
    }
}

/// Of all queries together: whether a score is a distance does not change from query to query.
fn scores_of(run: &Run) -> Scores {
    let (mut falls, mut rises) = (false, false);
    for two in run.iter().flat_map(|(_, hits)| hits.windows(2)) {
        falls |= two[0].score > two[1].score;
        rises |= two[0].score < two[1].score;
    }
    match (falls, rises) {
        (true, false) => Scores::Falling,
        (false, true) => Scores::Rising,
        // Of one neighbour each nothing is seen; and a score that all have may be a placeholder.
        (true, true) | (false, false) => Scores::Neither,
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
    fn lists_that_end_in_a_tie_with_the_last_neighbour_are_counted() {
        let lists = run(&[
            ("q1", &[("a", -1.0), ("b", -2.0)]),
            ("q2", &[("a", -1.0), ("b", -2.0), ("c", -2.0)]),
            ("q3", &[("a", -1.0), ("b", -2.0), ("c", -2.5)]),
            ("q4", &[("a", -1.0)]),
        ]);
        let queries = ["q1", "q2", "q3", "q4"].map(|id| Query::new(id, ""));
        let truth = Neighbours::from_reference("mine", &lists, None).unwrap();
        // By hand, of NN@2: b ends the list of q1, c ties with b in q2, c is farther in q3, q4 is too short; of NN@1 a ends q4.
        assert_eq!((truth.ends_in_ties(&queries, 2), truth.ends_in_ties(&queries, 1)), (2, 1));
        // Of q1 and q4 there is no more to find.
        assert_eq!(truth.whole_below(3).ends_in_ties(&queries, 2), 1);
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

    /// What writes a run of distances seldom turns their sign around.
    #[test]
    fn a_run_of_distances_has_the_smallest_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.run");
        let lines = |line: fn(usize) -> String| (1..=6).map(line).collect::<String>();
        let queries = [Query::new("q1", "")];
        std::fs::write(&path, lines(|rank| format!("q1 Q0 d{rank} {rank} {} t\n", 1.25 * rank as f64)))
            .unwrap();
        let truth = Neighbours::read(&path, &queries).unwrap();
        let nearest = truth.for_query("q1").unwrap().iter().next();
        assert_eq!(nearest, Some(("d1", Some(1.25))));
        // Without ranks nobody knows which end is near.
        let path = folder.path().join("truth.json");
        let scores: Vec<String> = (1..=6).map(|at| format!("\"d{at}\": {}", 1.25 * f64::from(at))).collect();
        std::fs::write(&path, format!("{{\"q1\": {{{}}}}}", scores.join(", "))).unwrap();
        let error = Neighbours::read(&path, &queries).unwrap_err().to_string();
        assert!(error.contains("its scores rise within a query, as distances do"), "{error}");
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
