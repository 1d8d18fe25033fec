//! Rankings of chunks as rankings of documents.

use std::collections::HashSet;

use crate::error::Quoted;
use crate::order;
use crate::parents::Parents;
use crate::run::answer::by_score;
use crate::run::rows::Rows;
use crate::run::{Hit, Order, Ranking, RunReader};
use crate::{Error, Result};

impl Parents {
    /// The documents of a ranking of chunks, best first. The order of the chunks is the ranking, whatever their scores
    /// say.
    ///
    /// # Errors
    ///
    /// A chunk that belongs to no document, or that comes twice.
    pub fn documents(&self, chunks: &[Hit]) -> Result<Vec<Hit>> {
        let mut seen = HashSet::with_capacity(chunks.len());
        if let Some(twice) = chunks.iter().find(|chunk| !seen.insert(chunk.id.as_str())) {
            return Err(Error::invalid(format!("chunk {} comes twice", Quoted(&twice.id))));
        }
        let documents = self.rank(chunks.iter().map(|chunk| (chunk.id.as_str(), chunk.score)))?;
        Ok(documents.into_iter().map(|(id, score)| Hit::new(id, score)).collect())
    }
}

fn of_query(query: &str, error: &Error) -> Error {
    Error::invalid(format!("query {}: {error}", Quoted(query)))
}

impl RunReader {
    /// The documents that chunks belong to: the rankings of the file are of chunks, and are read as rankings of documents.
    #[must_use]
    pub fn parents(mut self, parents: impl Into<Option<Parents>>) -> Self {
        self.parents = parents.into();
        self
    }

    /// Hands over the ranking of documents that a ranking of chunks is, where this reader has parents.
    pub(super) fn in_parents<T>(
        &self,
        query: &str,
        chunks: &Ranking<'_>,
        take: impl FnOnce(&Ranking<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(parents) = &self.parents else { return take(chunks) };
        let hits: Vec<_> = chunks.hits().collect();
        let mut documents = parents
            .rank(hits.iter().map(|hit| (hit.id, hit.score)))
            .map_err(|error| of_query(query, &error))?;
        if chunks.by == Order::Score {
            // As those of a run of documents, whatever the ids of their chunks are.
            order::sort_by(&mut documents, |a, b| by_score(*a, *b));
        }
        let mut rows = Rows::excluding(self.excluding);
        let ranking = rows.rank_in_order(query, &documents)?;
        take(&Ranking {
            by: chunks.by,
            rising: chunks.rising,
            identical: ranking.identical || chunks.identical,
            ..ranking
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_chunks_is_read_as_one_of_documents() {
        // Ties by id descending put b#1 first, as trec_eval does.
        let text = "q1 Q0 a#1 1 3 t\nq1 Q0 a#2 2 2 t\nq1 Q0 b#1 3 2 t\nq1 Q0 c#1 4 1 t\nq2 Q0 c#7 1 1 t\n";
        let read = |reader: RunReader| reader.parse("a.run", text.as_bytes());
        let parents = Parents::pattern("^(.)#").unwrap();
        let run = read(RunReader::new().parents(parents.clone()).depth(2)).unwrap();
        assert_eq!(run.ranking("q1").unwrap(), [Hit::new("a", 3.0), Hit::new("b", 2.0)]);
        assert_eq!(run.ranking("q2").unwrap(), [Hit::new("c", 1.0)]);
        let ranks = RunReader::new()
            .parents(parents)
            .order(Order::Rank)
            .map_noted(&crate::Source::bytes("a.run", text.as_bytes()), |_, ranking| {
                Ok((ranking.rank_of("c"), ranking.len(), ranking.by()))
            });
        assert_eq!(
            ranks.unwrap().0,
            [("q1".to_owned(), (Some(3), 3, Order::Rank)), ("q2".to_owned(), (Some(1), 1, Order::Rank))]
        );
        let error = read(RunReader::new().parents(Parents::pattern("^([ab])#").unwrap())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "query `q1`: `c#1` belongs to no document: it does not match `^([ab])#`"
        );
    }

    /// The same documents with the same scores as a run of documents has them: of equal scores the highest id is first.
    #[test]
    fn documents_of_a_file_tie_as_those_of_a_run_of_documents() {
        // By hand: as documents d1 and d2 tie under each rule, so that d2 is first; of the chunks d1's come first, by id.
        let chunks = "q1 Q0 z1 1 3 t\nq1 Q0 y2 2 3 t\nq1 Q0 x2 3 1 t\nq1 Q0 w1 4 1 t\n";
        let documents = "q1 Q0 d1 1 4 t\nq1 Q0 d2 2 4 t\n";
        let pairs = [("z1", "d1"), ("w1", "d1"), ("y2", "d2"), ("x2", "d2")];
        let pairs = pairs.map(|(chunk, document)| (chunk.to_owned(), document.to_owned()));
        let parents = Parents::from_pairs("chunks.tsv", pairs);
        let ids = |reader: RunReader, text: &str| -> Vec<String> {
            let run = reader.parse("a.run", text.as_bytes()).unwrap();
            run.ranking("q1").unwrap().iter().map(|hit| hit.id.clone()).collect()
        };
        let expected = ids(RunReader::new(), documents);
        assert_eq!(expected, ["d2", "d1"]);
        assert_eq!(ids(RunReader::new().parents(parents.clone()), chunks), expected);
        // Where ranks say the order, no score does.
        assert_eq!(ids(RunReader::new().parents(parents).order(Order::Rank), chunks), ["d1", "d2"]);
    }

    #[test]
    fn a_chunk_that_comes_twice_is_an_error() {
        let chunks = ["a#1", "b#1", "a#1"].map(|id| Hit::new(id, 1.0));
        let error = Parents::pattern("^(.)#").unwrap().documents(&chunks).unwrap_err().to_string();
        assert_eq!(error, "chunk `a#1` comes twice");
    }
}
