//! Chunks that configurations return, as what is judged: their documents, or passages of documents.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value as Json;

use crate::collection::{Chunks, Collection, Corpus, Document, Query};
use crate::error::Quoted;
use crate::evaluation::{cut, passages};
use crate::retriever::said::Answer;
use crate::retriever::{BoxError, Response, Retriever};
use crate::run::{Hit, Parents, Run};
use crate::spec::{Configuration, ParentsPlan, ParentsSource};
use crate::words::counted;
use crate::{Error, Result};

use super::Measure;

/// More chunks of a query are never asked for.
const MOST: usize = 1_000_000;
/// Queries that a warning names.
const NAMED: usize = 5;

/// What chunks are judged as.
#[derive(Debug)]
pub(super) enum View {
    /// The documents that they belong to.
    Documents(Parents),
    /// Passages of documents, in which judged spans lie.
    Passages(Chunks),
}

impl View {
    /// A ranking of chunks as it is judged.
    fn change(&self, chunks: &[Hit]) -> Result<Vec<Hit>> {
        match self {
            Self::Documents(parents) => parents.documents(chunks),
            Self::Passages(places) => passages(places, chunks),
        }
    }
}

/// What a configuration's chunks are judged as; `None` where it returns documents, and documents are judged.
pub(super) fn view(measure: &Measure, configuration: &Configuration) -> Result<Option<Arc<View>>> {
    let read = || {
        let collection = measure.collection()?;
        let view = match (collection.passages(), &configuration.chunks, &configuration.parents) {
            (Some(passages), Some(path), _) => View::Passages(Chunks::read(passages, &path.resolve()?)?),
            (Some(passages), None, _) => View::Passages(Chunks::from_hits(passages)),
            (None, _, Some(plan)) => View::Documents(read(plan, collection)?),
            (None, _, None) => return Ok(None),
        };
        Ok(Some(Arc::new(view)))
    };
    measure.state(configuration).view.get_or_init(read).clone()
}

/// A run of chunks as it is judged, and what should be known of its lists.
pub(super) fn run_in_view(
    measure: &Measure,
    configuration: &Configuration,
    mut run: Run,
) -> Result<(Run, Option<String>)> {
    let Some(view) = view(measure, configuration)? else { return Ok((run, None)) };
    let lengths: Vec<(String, usize)> =
        run.iter().map(|(query, chunks)| (query.to_owned(), chunks.len())).collect();
    run.change(|query, chunks| {
        let of_query = |error| Error::invalid(format!("query {}: {error}", Quoted(query)));
        view.change(&chunks).map_err(of_query)
    })?;
    let depth = measure.spec.depth;
    let is_of_documents = matches!(*view, View::Documents(_));
    let cut = cut(lengths.iter().map(|(_, length)| *length)).filter(|_| is_of_documents);
    let Some(cut) = cut else { return Ok((run, None)) };
    let is_short = |query: &str| run.ranking(query).is_some_and(|documents| documents.len() < depth);
    let short = lengths.into_iter().filter(|(query, length)| *length == cut && is_short(query));
    let short: BTreeSet<String> = short.map(|(query, _)| query).collect();
    let why = format!("the file's lists end after {cut} chunks");
    Ok((run, too_few(&short, depth, &why)))
}

/// Parents as a spec plans them.
pub(super) fn read(plan: &ParentsPlan, collection: &Collection) -> Result<Parents> {
    Ok(match &plan.source {
        ParentsSource::Pattern(parents) => parents.clone(),
        ParentsSource::File(path) => Parents::read(&path.resolve()?)?,
        ParentsSource::Field(key) => {
            let named = |error| Error::invalid(format!("`parents` by the field {}: {error}", Quoted(key)));
            let pairs = pairs(collection.corpus().map_err(named)?, key).map_err(named)?;
            Parents::from_pairs(format!("the field {} of the corpus", Quoted(key)), pairs)
        }
    })
}

/// The chunks of a corpus, each with the id of its document under a key of its metadata.
fn pairs(corpus: &Corpus, key: &str) -> Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let of_chunk = |mut chunk: Document| Some((chunk.metadata.remove(key)?, chunk.id));
    let mut wrong = None;
    corpus.each(of_chunk, |field| {
        match field {
            None => {}
            Some((Json::String(document), chunk)) => pairs.push((chunk, document)),
            Some((Json::Number(number), chunk)) if !number.is_f64() => {
                pairs.push((chunk, number.to_string()));
            }
            Some((other, chunk)) => wrong = Some((chunk, other)),
        }
        wrong.is_none()
    })?;
    if let Some((chunk, value)) = wrong {
        let chunk = Quoted(&chunk);
        return Err(Error::invalid(format!("the field of {chunk} is no id of a document: {value}")));
    }
    if pairs.is_empty() {
        return Err(Error::invalid(format!("no document has {} in its metadata", Quoted(key))));
    }
    Ok(pairs)
}

/// What is said of queries whose chunks are of fewer documents than metrics look at, while there may be more.
fn too_few(queries: &BTreeSet<String>, depth: usize, why: &str) -> Option<String> {
    let named: Vec<String> = queries.iter().take(NAMED).map(|query| Quoted(query).to_string()).collect();
    let more = if queries.len() > NAMED { ", ..." } else { "" };
    (!queries.is_empty()).then(|| {
        format!(
            "fewer than {depth} documents for {} ({}{more}), and perhaps not all of them: {why}",
            counted(queries.len(), "query", "queries"),
            named.join(", ")
        )
    })
}

/// A retriever of chunks as one of what is judged. It is asked for more chunks until they are of enough documents, or it
/// has no more.
pub(super) struct ChunksInView {
    chunks: Arc<dyn Retriever>,
    view: Arc<View>,
    /// How many chunks are asked for at first.
    first: Option<usize>,
    cut: Mutex<Cut>,
}

/// The queries whose chunks were of too few documents, although there may be more chunks.
#[derive(Default)]
struct Cut {
    queries: BTreeSet<String>,
    /// The most chunks that were asked for, and the most that came of that.
    asked: usize,
    got: usize,
    depth: usize,
}

impl ChunksInView {
    pub(super) fn new(chunks: Arc<dyn Retriever>, view: Arc<View>, first: Option<usize>) -> Self {
        Self { chunks, view, first, cut: Mutex::default() }
    }

    /// What should be known of its answers.
    pub(super) fn warning(&self) -> Option<String> {
        let cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
        let why = format!("asked for {} chunks, it returned {}", cut.asked, cut.got);
        too_few(&cut.queries, cut.depth, &why)
    }

    /// The documents of the chunks that came when `asked` were asked for, if they are enough or all.
    fn enough(
        &self,
        query: &Query,
        (chunks, asked): (&[Hit], usize),
        depth: usize,
        before: usize,
    ) -> Result<Option<Vec<Hit>>> {
        let chunks = &chunks[..chunks.len().min(asked)];
        let documents = self.view.change(chunks)?;
        if let View::Passages(_) = *self.view {
            return Ok(Some(documents));
        }
        let is_full = chunks.len() == asked;
        if documents.len() < depth && is_full && asked < MOST {
            return Ok(None);
        }
        // It returned as many as the time before, when it was asked for no more than that: it may have a limit of its own.
        let is_limited = chunks.len() == before && before > 0;
        if documents.len() < depth && (is_full || is_limited) {
            let mut cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
            cut.queries.insert(query.id.clone());
            (cut.asked, cut.got) = (cut.asked.max(asked), cut.got.max(chunks.len()));
            cut.depth = depth;
        }
        Ok(Some(documents))
    }

    /// The documents of a query, of which these chunks came at first.
    fn documents(&self, query: &Query, mut chunks: Response, depth: usize) -> Result<Response, BoxError> {
        let (mut asked, mut before) = (self.chunks_at_first(depth), 0);
        loop {
            chunks = chunks.ranked();
            if let Some(hits) = self.enough(query, (&chunks.hits, asked), depth, before)? {
                return Ok(Response { hits, ..chunks });
            }
            before = asked;
            asked = (asked * 2).min(MOST);
            chunks = self.chunks.respond(query, asked)?;
        }
    }

    fn chunks_at_first(&self, depth: usize) -> usize {
        self.first.unwrap_or(depth)
    }
}

impl Retriever for ChunksInView {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        let chunks = self.chunks.respond(query, self.chunks_at_first(depth))?;
        self.documents(query, chunks, depth)
    }

    fn batch_size(&self) -> usize {
        self.chunks.batch_size()
    }

    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        let responses = self.respond_batch(queries, depth).into_iter();
        responses.map(|response| response.map(|response| response.hits)).collect()
    }

    fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
        let answers = self.chunks.respond_batch(queries, self.chunks_at_first(depth));
        if answers.len() != queries.len() {
            // Who asks says that these are too many, or too few.
            return answers;
        }
        let documents =
            |(query, chunks): (&Query, Result<Response, BoxError>)| self.documents(query, chunks?, depth);
        queries.iter().zip(answers).map(documents).collect()
    }

    fn take_answers(&self) -> std::collections::BTreeMap<String, Answer> {
        self.chunks.take_answers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retriever::retriever_fn;

    /// A retriever of three chunks a document, of `documents` documents, that never returns more than `limit`.
    fn wrapped(documents: usize, limit: usize) -> (ChunksInView, Arc<Mutex<Vec<usize>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let chunks = retriever_fn(move |_: &Query, depth| {
            log.lock().unwrap().push(depth);
            let all = (0..documents * 3)
                .map(|at| Hit::new(format!("d{}#{}", at / 3, at % 3), 1.0 / (at + 1) as f64));
            Ok(all.take(depth.min(limit)).collect())
        });
        let parents = View::Documents(Parents::pattern(r"^(.+)#\d+$").unwrap());
        (ChunksInView::new(Arc::new(chunks), Arc::new(parents), None), asked)
    }

    fn ids(documents: &ChunksInView, depth: usize) -> Vec<String> {
        let hits = documents.retrieve(&Query::new("q1", "a"), depth).unwrap();
        hits.into_iter().map(|hit| hit.id).collect()
    }

    #[test]
    fn chunks_are_asked_for_until_there_are_enough_documents() {
        let (documents, asked) = wrapped(100, usize::MAX);
        assert_eq!(ids(&documents, 4)[..4], ["d0", "d1", "d2", "d3"]);
        assert_eq!((asked.lock().unwrap().clone(), documents.warning()), (vec![4, 8, 16], None));
    }

    #[test]
    fn a_retriever_that_has_no_more_is_asked_no_further() {
        let (documents, asked) = wrapped(2, usize::MAX);
        assert_eq!(ids(&documents, 4), ["d0", "d1"]);
        assert_eq!((asked.lock().unwrap().clone(), documents.warning()), (vec![4, 8], None));
    }

    #[test]
    fn a_limit_of_the_retriever_is_a_warning() {
        let (documents, asked) = wrapped(100, 4);
        assert_eq!(ids(&documents, 4), ["d0", "d1"]);
        assert_eq!(asked.lock().unwrap().clone(), [4, 8]);
        assert_eq!(
            documents.warning().unwrap(),
            "fewer than 4 documents for 1 query (`q1`), and perhaps not all of them: asked for 8 chunks, it returned 4"
        );
    }

    #[test]
    fn a_chunk_of_no_document_fails_its_query() {
        let chunks = retriever_fn(|_: &Query, _| Ok(vec![Hit::new("d0#0", 1.0), Hit::new("d1", 0.5)]));
        let parents = Arc::new(View::Documents(Parents::pattern(r"^(.+)#\d+$").unwrap()));
        let documents = ChunksInView::new(Arc::new(chunks), parents, None);
        let error = documents.retrieve(&Query::new("q1", "a"), 2).unwrap_err().to_string();
        assert_eq!(error, r"`d1` belongs to no document: it does not match `^(.+)#\d+$`");
    }
}
